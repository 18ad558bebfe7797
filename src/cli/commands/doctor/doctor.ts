import type { Command } from 'commander';
import { InvalidArgumentError } from 'commander';
import type { Finding } from '../../../operations/doctor/finding.ts';
import { defineCommand, withOutputOptions } from '../../define-command.ts';
import { EXIT } from '../../failure.ts';
import { printable } from '../../printable.ts';
import type { Answer, OutputOptions, Session } from '../../session.ts';

interface Options extends OutputOptions {
  readonly config?: string;
  readonly through?: URL;
}

export function doctor(program: Command, session: Session): void {
  const command = defineCommand(program, 'doctor', {
    summary: 'look at all that Brume needs, and say what is amiss and what to do',
    description:
      'Looks at the configuration, the service, its listeners, permissions, stores, clocks, disk, open files and certificates, while Brume serves or before it starts, and changes nothing. Each line is ok, a warning, a failure, or unseen: what this user may not look at. With --through it sends a request with forged headers through a proxy and tells whether they were believed. The exit code is 0 in spite of warnings and of what was unseen, 1 if there is a failure, and 78 if the configuration is not valid.',
    examples: ['brume doctor', 'brume doctor --through https://www.example.org/login', 'brume doctor --json'],
  })
    .option('--config <file>', 'configuration file (default: /etc/brume/brume.conf, if it exists)')
    .option('--through <url>', 'page behind a proxy that asks Brume about it', proxiedUrl);
  withOutputOptions(command).action((options: Options) =>
    session.answer(options, () => examination(options)),
  );
}

async function examination({ config, through }: Options): Promise<Answer> {
  const [{ findPatient }, { examine }] = await Promise.all([
    import('./patient.ts'),
    import('../../../operations/doctor/doctor.ts'),
  ]);
  const { patient, findings: first, isConfigured } = await findPatient({ file: config, through });
  const findings = patient === undefined ? first : [...first, ...(await examine(patient))];
  const isHealthy = findings.every(({ state }) => state !== 'failure') && isConfigured;
  const exitCode = isHealthy
    ? 0
    : first.some(({ state }) => state === 'failure')
      ? EXIT.configuration
      : EXIT.refused;
  return { json: { healthy: isHealthy, findings }, text: findings.map(line).join('\n'), exitCode };
}

/** `failure  disk           …` */
function line({ check, state, text, remedy }: Finding): string {
  return printable(`${state.padEnd(7)}  ${check.padEnd(13)}  ${text}${remedy === null ? '' : ` ${remedy}`}`);
}

function proxiedUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '')
    throw new InvalidArgumentError(
      'Expected a URL such as https://www.example.org/login, without credentials.',
    );
  return url;
}
