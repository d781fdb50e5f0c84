import { createGiveWay } from '../../../lib/give-way.ts';
import type { PlannedServer } from '../planned-server.ts';
import type { Warnings } from '../warning-list.ts';
import type { SshConfigSetting } from './extras.ts';
import { promptedInput } from './input.ts';
import type { SshConfigHost } from './parse.ts';
import { createWays } from './ways.ts';

/** Plans servers from an OpenSSH configuration; jump hosts may be in it, registered, or added. */
export async function planFromSshConfig(
  hosts: readonly SshConfigHost[],
  setting: SshConfigSetting,
  warnings: Warnings,
): Promise<PlannedServer[]> {
  const giveWay = createGiveWay();
  const ways = createWays(hosts, setting, giveWay);
  const planned: PlannedServer[] = [];
  for (const [index, host] of hosts.entries()) {
    await giveWay();
    planned.push({ input: inputOf(host, setting), jump: await ways.ownJump(index) });
    warnings.add(...warningsAbout(host, setting));
  }
  warnings.add(...ways.warnings());
  return [...planned, ...ways.added()];
}

function inputOf(
  { alias: name, hostname, port, user }: SshConfigHost,
  { username, group }: SshConfigSetting,
) {
  return promptedInput({ name, hostname, port, username: user ?? username, group });
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
