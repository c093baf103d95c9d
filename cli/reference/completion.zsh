#compdef calque
# zsh completion for calque. `calque completion zsh` prints it.

_calque_configs() {
  local -a names=(@CONFIGS@)
  _alternative 'names:built-in config:compadd -a names' 'files:config file:_files'
}

_calque_keys() {
  local -a keys=(@KEYS@)
  compadd -S = -a keys
}

@FUNCTIONS@_calque_command "$@"
