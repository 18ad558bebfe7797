import { type Place, places, valuePatterns } from './completed-words.ts';

/** packaging/completions/brume.bash */
export function bashCompletion(): string {
  const all = places();
  const values = valuePatterns(all);
  const commands = all.slice(1).map(({ command }) => `'${command}'`);
  return `# Made by npm run docs out of src/cli/: change it there.
# bash completion of brume.

_brume() {
    local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD - 1]}
    local command=brume words='' wants_file='' index
    COMPREPLY=()
    for ((index = 1; index < COMP_CWORD; index++)); do
        case "$command \${COMP_WORDS[index]}" in
            ${commands.join(' | \\\n                ')})
                command+=" \${COMP_WORDS[index]}" ;;
            ${values.flatMap(({ patterns }) => patterns).join(' | \\\n                ')})
                ((index++)) ;;
        esac
    done
    case "$command $previous" in
${values
  .map(
    ({ patterns, value }) => `        ${patterns.join(' | ')})
            ${value.kind === 'file' ? 'wants_file=1' : `words='${value.words.join(' ')}'`} ;;`,
  )
  .join('\n')}
        *)
            case "$command" in
${all.map(placeCase).join('\n')}
            esac ;;
    esac
    mapfile -t COMPREPLY < <(
        compgen -W "$words" -- "$current"
        if [[ -n $wants_file && $current != -* ]]; then compgen -f -- "$current"; fi
    )
    if [[ -n $wants_file ]]; then compopt -o filenames 2>/dev/null; fi
    return 0
}

complete -F _brume brume
`;
}

/** Options are offered once a - is typed, or where nothing else could follow. */
function placeCase({ command, words, takesFile, options }: Place): string {
  const names = words.map(({ word }) => word).join(' ');
  const flags = options.map(({ word }) => word).join(' ');
  const plain = names === '' && !takesFile ? flags : names;
  return `                '${command}')
                    if [[ $current == -* ]]; then words='${flags}'; else words='${plain}'; fi${takesFile ? '\n                    wants_file=1' : ''} ;;`;
}
