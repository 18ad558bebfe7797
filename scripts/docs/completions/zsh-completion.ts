import { type Place, places, valuePatterns, type Word } from './completed-words.ts';

/** packaging/completions/_brume */
export function zshCompletion(): string {
  const all = places();
  const values = valuePatterns(all);
  const commands = all.slice(1).map(({ command }) => `'${command}'`);
  return `#compdef brume
# Made by npm run docs out of src/cli/: change it there.

_brume() {
    local command=brume index
    local -a described options
    for ((index = 2; index < CURRENT; index++)); do
        case "$command \${words[index]}" in
            (${commands.join('|')})
                command+=" \${words[index]}" ;;
            (${values.flatMap(({ patterns }) => patterns).join('|')})
                ((index++)) ;;
        esac
    done
    case "$command \${words[CURRENT - 1]}" in
${values
  .map(
    ({ patterns, value }) => `        (${patterns.join('|')})
            ${VALUE_ACTIONS[value.kind]}${value.kind === 'words' ? ` ${value.words.join(' ')}` : ''}
            return ;;`,
  )
  .join('\n')}
    esac
    case "$command" in
${all.map(placeCase).join('\n')}
    esac
    if [[ \${words[CURRENT]} == -* ]] || ((! $#described)); then described=("\${options[@]}"); fi
    _describe -t words brume described
}

_brume "$@"
`;
}

const VALUE_ACTIONS = { file: '_files', words: 'compadd --', unknown: '_message value' };

function placeCase({ command, words, takesFile, options }: Place): string {
  const lines = [
    ...(words.length === 0 ? [] : [`described=(${words.map(described).join(' ')})`]),
    `options=(${options.map(described).join(' ')})`,
    // Before the rest, which has nothing more to say unless a - is typed.
    ...(takesFile ? ['if [[ $words[CURRENT] != -* ]]; then _files; return; fi'] : []),
  ];
  return `        ('${command}')\n            ${lines.join('\n            ')} ;;`;
}

/** \`word:what it is\`, quoted. */
function described({ word, summary }: Word): string {
  return `'${`${word}:${summary}`.replaceAll("'", "'\\''")}'`;
}
