module github.com/azphalt/submissions

go 1.26
