module github.com/azphalt/submissions/testdata

go 1.26
