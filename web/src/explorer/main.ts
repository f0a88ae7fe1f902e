// The explorer's page begins here.

document.title = "flowstart";
