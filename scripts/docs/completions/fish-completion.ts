import { type Place, places, valuePatterns, type Word } from './completed-words.ts';

/** packaging/completions/brume.fish */
export function fishCompletion(): string {
  const all = places();
  const values = valuePatterns(all);
  const commands = all.slice(1).map(({ command }) => `'${command}'`);
  const patterns = values.flatMap((entry) => entry.patterns).map(fishPattern);
  return `# Made by npm run docs out of src/cli/: change it there.
# fish completion of brume.

function __brume_complete
    set -l tokens (commandline -opc)
    set -l current (commandline -ct)
    set -l command brume
    set -l previous ''
    set -l is_value no
    for token in $tokens[2..-1]
        set previous $token
        if test $is_value = yes
            set is_value no
            continue
        end
        switch "$command $token"
            case ${commands.join(' ')}
                set command "$command $token"
            case ${patterns.join(' ')}
                set is_value yes
        end
    end
    if test $is_value = yes
        switch "$command $previous"
${values
  .map(
    ({ patterns: own, value }) => `            case ${own.map(fishPattern).join(' ')}
                ${value.kind === 'file' ? '__fish_complete_path $current' : `string join \\n ${value.words.join(' ')}`}`,
  )
  .join('\n')}
        end
        return
    end
    switch "$command"
${all.map(placeCase).join('\n')}
    end
end

complete -c brume -f -a '(__brume_complete)'
`;
}

/** \`*' --config'\` with its star inside: fish expands one outside quotes itself. */
function fishPattern(pattern: string): string {
  return pattern.replace(/^\*'/, "'*");
}

function placeCase({ command, words, takesFile, options }: Place): string {
  const lines = [
    ...(takesFile ? ['__fish_complete_path $current'] : []),
    `printf '%s\\t%s\\n' ${[...words, ...options].map(described).join(' ')}`,
  ];
  return `        case '${command}'\n            ${lines.join('\n            ')}`;
}

function described({ word, summary }: Word): string {
  return `${word} '${summary.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
