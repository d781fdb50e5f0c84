import type { Schemas } from '#client/client.ts';
import type { TextKey, Values } from '../../i18n/languages.ts';

export type HopConnection = Schemas['HopConnection'];

interface Reason {
  readonly key: TextKey;
  readonly values: Values;
}

/** OpenSSH has `mlkem768x25519-sha256` from this version on. */
const FIRST_OPENSSH = [9, 9] as const;

/** Why a key exchange is not post-quantum; undefined if it is. */
export function whyNotPostQuantum({
  is_post_quantum,
  server_version,
}: Pick<HopConnection, 'is_post_quantum' | 'server_version'>): Reason | undefined {
  if (is_post_quantum) return undefined;
  const openssh = openSshOf(server_version);
  if (openssh) {
    const key = isAtLeast(openssh.version, FIRST_OPENSSH) ? 'not_pq_configured' : 'not_pq_old_openssh';
    return { key, values: { software: openssh.name } };
  }
  if (server_version === '') return { key: 'not_pq_host', values: {} };
  return { key: 'not_pq_other', values: { software: server_version } };
}

function openSshOf(server_version: string) {
  const [, windows, major, minor] = /^OpenSSH_(for_Windows_)?(\d{1,4})\.(\d{1,4})/.exec(server_version) ?? [];
  if (major === undefined || minor === undefined) return undefined;
  const version = [Number(major), Number(minor)] as const;
  return { version, name: `OpenSSH ${windows ? 'for Windows ' : ''}${major}.${minor}` };
}

type Version = readonly [major: number, minor: number];

function isAtLeast([major, minor]: Version, [least_major, least_minor]: Version): boolean {
  return major === least_major ? minor >= least_minor : major > least_major;
}
