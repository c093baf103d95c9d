namespace calque {}
