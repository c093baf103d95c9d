# bash completion for calque. `calque completion bash` prints it.

# The commands, options and arguments of a command. An option is NAME:KIND, and KIND is empty for an
# option without a value. KIND+ is for an argument that may be repeated.
_calque_table() {
  case $1 in
@TABLE@    *) return 1 ;;
  esac
}

# Completes $current, a value of the kind.
_calque_value() {
  case $1 in
    files) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$current") ;;
    folders) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -d -- "$current") ;;
    configs)
      compopt -o filenames
      mapfile -t COMPREPLY < <(compgen -W '@CONFIGS@' -- "$current"; compgen -f -- "$current") ;;
    keys)
      compopt -o nospace
      mapfile -t COMPREPLY < <(compgen -S = -W '@KEYS@' -- "$current") ;;
    {*) mapfile -t COMPREPLY < <(compgen -W "$(tr '{},' '   ' <<<"$1")" -- "$current") ;;
  esac
}

# The kind of the value of an option.
_calque_kind() {
  local option
  for option in $options; do
    if [[ ${option%%:*} == "$1" ]]; then echo "${option#*:}"; return; fi
  done
}

_calque() {
  local current=${COMP_WORDS[COMP_CWORD]} command= awaited= ended= word i
  local commands options arguments kinds position=0
  _calque_table ''
  for ((i = 1; i < COMP_CWORD; ++i)); do
    word=${COMP_WORDS[i]}
    if [[ $word == '=' ]]; then
      # bash splits words at =. After an option its value follows, otherwise the rest of the word.
      [[ $awaited ]] || awaited=text
    elif [[ $awaited ]]; then
      awaited=
    elif [[ $word == -- ]]; then
      ended=1
    elif [[ $word == -* && ! $ended ]]; then
      awaited=$(_calque_kind "$word")
    elif [[ " $commands " == *" $word "* ]]; then
      command="${command:+$command }$word"
      _calque_table "$command"
    else
      position=$((position + 1))
    fi
  done
  if [[ $current == '=' ]]; then
    current=
    [[ $awaited ]] || awaited=text
  fi

  COMPREPLY=()
  if [[ $awaited ]]; then
    _calque_value "$awaited"
  elif [[ $current == -* && ! $ended ]]; then
    mapfile -t COMPREPLY < <(for word in $options; do echo "${word%%:*}"; done)
    mapfile -t COMPREPLY < <(compgen -W "${COMPREPLY[*]}" -- "$current")
  elif [[ $commands ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$commands" -- "$current")
  else
    read -ra kinds <<<"$arguments"
    if ((position >= ${#kinds[@]} && ${#kinds[@]} > 0)) && [[ ${kinds[-1]} == *+ ]]; then
      position=$((${#kinds[@]} - 1))
    fi
    word=${kinds[position]:-}
    _calque_value "${word%+}"
  fi
}

complete -F _calque calque
