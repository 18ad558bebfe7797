import { execFileSync, spawn } from 'node:child_process';
import { existsSync, globSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';

const root = join(import.meta.dirname, '../..');
const MEMORY_MEBIBYTES = 2048;

export interface InMachineOptions {
  /** A directory for what is needed meanwhile. */
  readonly work: string;
  /** A directory for the machine's second disk; `run` in it is started. */
  readonly given: string;
  /** One that is not over by then hangs. */
  readonly timeoutMs: number;
  onLine(line: string): void;
}

/**
 * Runs `given/run` in a virtual machine. It is emulated: a stock kernel runs by KVM only where the processor has
 * vmx or svm, and whether /dev/kvm is there says nothing about that.
 */
export async function inMachine({ work, given, timeoutMs, onLine }: InMachineOptions): Promise<void> {
  const tree = execFileSync(join(root, 'scripts/guest'), ['base'], { encoding: 'utf8' }).trim();
  const [kernel] = globSync(join(tree, 'boot/vmlinuz-*'));
  if (kernel === undefined) throw new Error(`${tree} has no kernel`);
  const payload = join(work, 'given.tar');
  // A disk has whole sectors.
  execFileSync('tar', ['-C', given, '--blocking-factor=2048', '-cf', payload, '.']);

  // systemd's, Debian's and the kernel's words go to the same console.
  const options = ['console=ttyS0', 'root=/dev/nvme0n1', 'rw', 'panic=-1', 'quiet', 'mitigations=off'];
  const disk = (name: string, file: string, how: string) => [
    ...['-drive', `file=${file},if=none,id=${name},format=raw,${how}`],
    ...['-device', `nvme,drive=${name},serial=${name}`],
  ];
  const machine = spawn(
    'qemu-system-x86_64',
    [
      ...['-accel', 'tcg,thread=multi', '-M', 'q35', '-cpu', 'max', '-smp', '2'],
      ...[
        '-m',
        String(MEMORY_MEBIBYTES),
        '-nodefaults',
        '-display',
        'none',
        '-serial',
        'stdio',
        '-no-reboot',
      ],
      ...['-kernel', kernel, '-append', [...options, 'net.ifnames=0', 'systemd.show_status=0'].join(' ')],
      ...disk('system', image(tree), 'snapshot=on'),
      ...disk('given', payload, 'readonly=on'),
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  let isOver = false;
  const last: string[] = [];
  const timer = setTimeout(() => machine.kill('SIGKILL'), timeoutMs);
  process.once('exit', () => machine.kill('SIGKILL'));
  for await (const line of createInterface({ input: machine.stdout })) {
    onLine(line);
    isOver ||= line.trim() === 'over';
    last.push(line);
    if (last.length > 20) last.shift();
  }
  clearTimeout(timer);
  if (!isOver) throw new Error(`the machine ended, or was ended, before the checks:\n${last.join('\n')}`);
}

/** Made once of each tree, and of what the image is made by; earlier ones go. */
function image(tree: string): string {
  const files = readdirSync(join(root, 'packaging/vm')).map((name) => join(root, 'packaging/vm', name));
  const key = execFileSync('sh', ['-c', 'cat "$@" | sha256sum', 'sh', ...files.sort()], {
    encoding: 'utf8',
  }).slice(0, 16);
  const path = join(dirname(tree), `${tree.split('/').at(-1)}-${key}.ext4`);
  if (!existsSync(path)) {
    for (const old of globSync(join(dirname(tree), 'booted-*.ext4'))) rmSync(old);
    console.log(`Making the disk ${path} …`);
    execFileSync(join(root, 'packaging/vm/image'), [tree, path], { stdio: ['ignore', 'inherit', 'inherit'] });
  }
  return path;
}
