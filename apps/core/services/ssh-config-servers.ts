import type { SshConfigHost } from '../lib/ssh-config.ts';
import type { PlannedServer } from './planned-server.ts';
import { promptedInput } from './ssh-config-input.ts';
import { createWays, type SshConfigSetting } from './ssh-config-ways.ts';

interface Plan {
  readonly planned: PlannedServer[];
  readonly warnings: string[];
}

/** Servers from the hosts of an OpenSSH configuration, whose jump hosts are each other, registered ones, or new ones. */
export function planFromSshConfig(hosts: readonly SshConfigHost[], setting: SshConfigSetting): Plan {
  const ways = createWays(hosts, setting);
  const planned = hosts.map(({ alias: name, hostname, port, user: username = setting.username }, index) => ({
    input: promptedInput({ name, hostname, port, username, group: setting.group }),
    jump: ways.ownJump(index),
  }));
  const warnings = hosts.flatMap((host) => warningsAbout(host, setting));
  return { planned: [...planned, ...ways.added()], warnings: [...warnings, ...ways.warnings()] };
}

function warningsAbout(
  { alias, user, has_identity_file }: SshConfigHost,
  { username }: SshConfigSetting,
): string[] {
  return [
    ...(user === undefined ? [`${alias}: no User is named, ${username} is taken`] : []),
    ...(has_identity_file
      ? [`${alias}: its IdentityFile is not read; store the private key to sign in with it`]
      : []),
  ];
}
