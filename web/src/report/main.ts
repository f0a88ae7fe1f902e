// The script of a report begins here.

document.title ||= "flowstart";
