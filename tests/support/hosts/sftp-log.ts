import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PROGRAM = '/usr/lib/openssh/sftp-server';

// draft-ietf-secsh-filexfer-02 §3; INIT and the limits are part of opening a channel.
const NAMES: Readonly<Record<number, string>> = {
  3: 'OPEN',
  4: 'CLOSE',
  5: 'READ',
  6: 'WRITE',
  7: 'LSTAT',
  8: 'FSTAT',
  9: 'SETSTAT',
  10: 'FSETSTAT',
  11: 'OPENDIR',
  12: 'READDIR',
  13: 'REMOVE',
  14: 'MKDIR',
  15: 'RMDIR',
  16: 'REALPATH',
  17: 'STAT',
  18: 'RENAME',
  19: 'READLINK',
};
const EXTENDED = 200;
const LIMITS = 'limits@openssh.com';

/** Records the SFTP requests that reach an sshd. */
export interface SftpLog {
  /** The `Subsystem sftp` of the sshd. */
  readonly subsystem: string;
  /** The requests of every channel since the last call, without those that open a channel. */
  take(): string[];
  remove(): void;
}

/** sshd's own SFTP server behind a `tee`, which keeps what each channel receives. */
export function startSftpLog(): SftpLog {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-sftp-log-'));
  const script = join(folder, 'sftp');
  writeFileSync(script, `#!/bin/sh\ntee "${folder}/$$.requests" | ${PROGRAM}\n`);
  chmodSync(script, 0o755);
  chmodSync(folder, 0o777); // the account of the test writes here
  const taken = new Map<string, number>();
  return {
    subsystem: script,
    take() {
      const files = readdirSync(folder).filter((name) => name.endsWith('.requests'));
      return files.flatMap((name) => {
        const all = requestsIn(readFileSync(join(folder, name)));
        const before = taken.get(name) ?? 0;
        taken.set(name, all.length);
        return all.slice(before);
      });
    },
    remove: () => rmSync(folder, { recursive: true }),
  };
}

function requestsIn(bytes: Buffer): string[] {
  const names: string[] = [];
  for (let at = 0; at + 9 <= bytes.length; at += 4 + bytes.readUInt32BE(at)) {
    const type = bytes.readUInt8(at + 4);
    const name = type === EXTENDED ? textAt(bytes, at + 9) : NAMES[type];
    if (name !== undefined && name !== LIMITS) names.push(name);
  }
  return names;
}

function textAt(bytes: Buffer, at: number): string {
  return bytes.toString('latin1', at + 4, at + 4 + bytes.readUInt32BE(at));
}
