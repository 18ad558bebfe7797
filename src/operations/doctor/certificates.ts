import { createPrivateKey, type X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { connect } from 'node:tls';
import { certificatesIn } from '../../config/certificates.ts';
import { codeOf, type Finding, tellerOf } from './finding.ts';
import { reachable } from './listener-probe.ts';
import type { ExaminedSettings, Patient } from './patient.ts';

const tell = tellerOf('certificates');

const DAY_MS = 86_400_000;
/** Time enough for whoever has to sign a new one. */
const LEFT_MS_WANTED = 21 * DAY_MS;
const TIMEOUT_MS = 3000;

/** Whether certificates are valid now and for a while, fit their keys, and are those that are shown to callers. */
export async function examineCertificates({ settings }: Patient, nowMs = Date.now()): Promise<Finding[]> {
  const { managementTlsCert, managementTlsKey, redisTlsCa, redisTlsCert, redisTlsKey } = settings;
  const own = [
    ['BRUME_MANAGEMENT_TLS_CERT', managementTlsCert, managementTlsKey],
    ['BRUME_REDIS_TLS_CERT', redisTlsCert, redisTlsKey],
  ] as const;
  const findings = [
    ...own.flatMap(([variable, path, key]) =>
      path === null ? [] : fileFindings(variable, path, key, nowMs),
    ),
    ...(redisTlsCa === null ? [] : fileFindings('BRUME_REDIS_TLS_CA', redisTlsCa, null, nowMs)),
    ...(await shownFindings(settings)),
  ];
  return findings.length > 0 ? findings : [tell.ok('No certificates are configured.')];
}

function fileFindings(variable: string, path: string, keyPath: string | null, nowMs: number): Finding[] {
  const what = `${variable} ${path}`;
  try {
    const certificates = certificatesIn(readFileSync(path, 'utf8'));
    const [first] = certificates;
    if (first === undefined)
      return [tell.failure(`${what}: there is no certificate in it.`, 'Give it in PEM.')];
    const faults = [
      ...certificates.flatMap((certificate) => dateFault(what, certificate, nowMs)),
      ...(keyPath !== null && !isKeyOf(first, keyPath)
        ? [
            tell.failure(
              `${what}: ${keyPath} is the key of another one.`,
              'Give the key with which it was made.',
            ),
          ]
        : []),
    ];
    if (faults.length > 0) return faults;
    const endMs = Math.min(...certificates.map(({ validTo }) => Date.parse(validTo)));
    return [tell.ok(`${what}: valid until ${new Date(endMs).toISOString()}.`)];
  } catch (error) {
    return [tell.unseen(`${what}: it can't be read (${codeOf(error)}).`, 'Run this as root.')];
  }
}

function dateFault(what: string, { subject, validFrom, validTo }: X509Certificate, nowMs: number): Finding[] {
  const name = subject.replaceAll('\n', ', ');
  const remedy = 'Put a new one in its place, and then run: systemctl reload brume';
  const [fromMs, toMs] = [Date.parse(validFrom), Date.parse(validTo)];
  if (nowMs > toMs) return [tell.failure(`${what}: ${name} ended on ${iso(toMs)}.`, remedy)];
  if (nowMs < fromMs)
    return [
      tell.failure(
        `${what}: ${name} begins on ${iso(fromMs)} only.`,
        'Look whether the clock of this machine is right (timedatectl), or take another one.',
      ),
    ];
  return toMs - nowMs < LEFT_MS_WANTED
    ? [
        tell.warning(
          `${what}: ${name} ends on ${iso(toMs)}, in ${Math.floor((toMs - nowMs) / DAY_MS)} days.`,
          remedy,
        ),
      ]
    : [];
}

function isKeyOf(certificate: X509Certificate, keyPath: string): boolean {
  return certificate.checkPrivateKey(createPrivateKey(readFileSync(keyPath)));
}

/** Brume reads its certificate once: one that was renewed since is in the file, and not yet in use. */
async function shownFindings(settings: ExaminedSettings): Promise<Finding[]> {
  const { managementListen, managementTlsCert: path } = settings;
  if (managementListen === null || path === null) return [];
  const shown = await shownAt(managementListen);
  const file = firstFingerprint(path);
  if (shown === undefined || file === undefined || shown.fingerprint256 === file) return [];
  return [
    tell.warning(
      `The management plane shows another certificate than is in ${path}: one that ends on ${iso(Date.parse(shown.validTo))}.`,
      'Take the one in the file into use: systemctl reload brume',
    ),
  ];
}

function firstFingerprint(path: string): string | undefined {
  try {
    return certificatesIn(readFileSync(path, 'utf8'))[0]?.fingerprint256;
  } catch {
    return undefined; // told before
  }
}

function shownAt({ host, port }: { host: string; port: number }): Promise<X509Certificate | undefined> {
  return new Promise((resolve) => {
    // Looked at, not trusted.
    const socket = connect({ host: reachable(host), port, rejectUnauthorized: false, timeout: TIMEOUT_MS });
    const end = (certificate?: X509Certificate) => {
      socket.destroy();
      resolve(certificate);
    };
    socket.once('secureConnect', () => end(socket.getPeerX509Certificate()));
    socket.once('timeout', () => end());
    socket.once('error', () => end());
  });
}

function iso(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 10);
}
