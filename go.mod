module github.com/azphalt/submissions

go 1.26

require github.com/clipperhouse/displaywidth v0.11.0

require github.com/clipperhouse/uax29/v2 v2.7.0 // indirect
