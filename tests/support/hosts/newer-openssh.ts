import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { SshdOptions } from './sshd.ts';
import { NEWER_OPENSSH } from './unpack-newer-openssh.mjs';

const at = (path: string) => join(NEWER_OPENSSH, 'usr', path);

/** OpenSSH 10, which has `mlkem768x25519-sha256`; undefined where it cannot be had. */
export const newer_openssh = existsSync(at('sbin/sshd'))
  ? {
      ssh: at('bin/ssh'),
      /** For `startSshd`. */
      sshd(config: readonly string[] = []): SshdOptions {
        const own = [
          `SshdSessionPath ${at('lib/openssh/sshd-session')}`,
          `SshdAuthPath ${at('lib/openssh/sshd-auth')}`,
          'PerSourcePenalties no', // every test comes from the same address
        ];
        return { program: at('sbin/sshd'), config: [...own, ...config] };
      },
    }
  : undefined;
