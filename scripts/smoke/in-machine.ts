import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';

const root = join(import.meta.dirname, '../..');
const MEMORY_MEBIBYTES = 2048;
/**
 * What costs most where it is emulated: copies that are one instruction go byte by byte, and V8 locks what it
 * compiles by protection keys, of which each turn empties the translated addresses. Without them all goes far faster.
 */
const PROCESSOR = 'max,-erms,-fsrm,-pku';
/** Of the machine's words, where it didn't come to its end. */
const LAST_LINES = 40;

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
  const hardware = [
    ...['-accel', 'tcg,thread=multi', '-M', 'q35', '-cpu', PROCESSOR, '-smp', '2'],
    ...['-m', String(MEMORY_MEBIBYTES), '-nodefaults', '-display', 'none', '-serial', 'stdio', '-no-reboot'],
  ];
  const system = [
    '-kernel',
    kernel,
    '-append',
    [...options, 'net.ifnames=0', 'systemd.show_status=0'].join(' '),
  ];
  const disks = [...disk('system', image(tree), 'snapshot=on'), ...disk('given', payload, 'readonly=on')];
  // It ends with this process, however that ends.
  const command = ['--pdeathsig', 'KILL', 'qemu-system-x86_64', ...hardware, ...system, ...disks];
  const machine = spawn('setpriv', command, { stdio: ['ignore', 'pipe', 'inherit'] });
  let isOver = false;
  let why = 'the machine ended before the checks did';
  const end = (reason: string) => {
    why = reason;
    machine.kill('SIGKILL');
  };
  const timer = setTimeout(() => end(`not over after ${timeoutMs / 60_000} minutes`), timeoutMs);
  const interrupt = (signal: string) => end(`ended by ${signal}`);
  process.on('SIGINT', interrupt).on('SIGTERM', interrupt);
  const last: string[] = [];
  try {
    for await (const line of createInterface({ input: machine.stdout })) {
      onLine(line);
      isOver ||= line.trim() === 'over';
      last.push(line.replaceAll('\r', ''));
      if (last.length > LAST_LINES) last.shift();
    }
  } finally {
    clearTimeout(timer);
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
  }
  if (!isOver) throw new Error(`${why}; it said last:\n${last.join('\n')}`);
}

/** Made once of each tree, and of what the image is made by; earlier ones go. */
function image(tree: string): string {
  const hash = createHash('sha256');
  for (const name of ['image', 'brume-smoke.service'])
    hash.update(readFileSync(join(root, 'packaging/vm', name)));
  const key = hash.digest('hex').slice(0, 16);
  const path = join(dirname(tree), `${tree.split('/').at(-1)}-${key}.ext4`);
  if (!existsSync(path)) {
    for (const old of globSync(join(dirname(tree), 'booted-*.ext4'))) rmSync(old);
    console.log(`Making the disk ${path} …`);
    execFileSync(join(root, 'packaging/vm/image'), [tree, path], { stdio: ['ignore', 'inherit', 'inherit'] });
  }
  return path;
}
