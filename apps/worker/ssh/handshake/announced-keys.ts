import type { Client, ParsedKey } from 'ssh2';
import type { HostKeys, PresentedHostKey, SshHop } from '#core/ports/ssh.ts';
import { describeHostKey, type JudgedKey } from './host-key.ts';

const MAX_KEYS = 16;
const MAX_KEY_BYTES = 16 * 1024;

/** Tells of the keys that a verified host announces (OpenSSH PROTOCOL §2.5); ssh2 has it prove them first. */
export function passOnAnnounced(
  client: Client,
  hop: SshHop,
  { host_keys, judged }: { readonly host_keys: HostKeys; readonly judged: JudgedKey | undefined },
): void {
  if (!judged || judged.verdict === 'unverified') return;
  client.once('hostkeys', (parsed: ParsedKey[]) => {
    const keys = distinctKeys(parsed);
    if (keys.length > 0) host_keys.announced(hop, judged.key, keys);
  });
}

/** A certificate is not a key that a host could be known by. */
function distinctKeys(parsed: readonly ParsedKey[]): PresentedHostKey[] {
  const blobs = parsed
    .filter(({ type }) => !type.includes('-cert-'))
    .map((key) => key.getPublicSSH())
    .filter(({ length }) => length <= MAX_KEY_BYTES);
  const keys = new Map(blobs.map((blob) => [blob.toString('base64'), describeHostKey(blob)]));
  return [...keys.values()].slice(0, MAX_KEYS);
}
