import { Fault } from '../../errors.ts';
import { assertDepths } from '../../hosts/imports/jumps.ts';
import type { Jump } from '../../hosts/imports/planned-server.ts';
import { fingerprintOf } from '../../hosts/known-hosts/parse.ts';
import { MAX_HOPS } from '../../limits.ts';
import type { BackupServer } from '../../model/backup/content.ts';
import type { ServerRow } from '../../model/hosts/server.ts';
import type { RestorePlan } from '../../ports/repositories/backup.ts';
import type { SealedPlace } from '../../ports/repositories/operations.ts';
import type { Restoring } from './context.ts';
import { isSame, type Pairs, pairUp, planRows } from './rows.ts';
import type { RestoreSecrets } from './secrets.ts';

type Servers = RestorePlan['servers'];
type Row = Servers['changed'][number];
type JumpFields = Pick<Row, 'jump_via_id' | 'jump_via_added'>;

interface Scene {
  readonly wanted: readonly BackupServer[];
  readonly rows: readonly ServerRow[];
}

/** Plans servers by name, address and login name. */
export async function planServers({ wanted, rows }: Scene, restoring: Restoring): Promise<Servers> {
  const { mode } = restoring;
  const present = rows.map((row): Row => ({ ...row, jump_via_added: undefined }));
  const keys = { keyOf: (server: BackupServer) => keyOf(server), keyOfRow: (row: Row) => keyOf(row) };
  const pairs = pairUp(wanted, present, keys);
  if (mode === 'merge') await assertReachable(wanted, pairs, rows);
  const jumpOf = jumpsAmong(wanted, pairs);
  return planRows(
    mode,
    { wanted, rows: present },
    {
      ...keys,
      toNew: (server, index) => newRow(server, jumpOf(index), restoring),
      replaced: (row, server, index) => replacedRow(row, server, jumpOf(index), restoring),
      repaired: (row, server) => repairedRow(row, server, restoring),
    },
  );
}

/** The jump host of each server in the bundle. */
export function jumpsOf(servers: readonly BackupServer[]): Jump[] {
  return servers.map(({ jump }) => (jump === null ? undefined : { kind: 'file', index: jump }));
}

function keyOf({
  name,
  hostname,
  port,
  username,
}: Pick<ServerRow, 'name' | 'hostname' | 'port' | 'username'>) {
  return JSON.stringify([name, hostname, port, username]);
}

function jumpsAmong(wanted: readonly BackupServer[], { present }: Pairs<Row>) {
  let next = 0;
  const places = present.map((row) => (row ? undefined : next++));
  return (index: number): JumpFields => {
    const jump = wanted[index]?.jump ?? null;
    if (jump === null) return { jump_via_id: null, jump_via_added: undefined };
    return { jump_via_id: present[jump]?.id ?? null, jump_via_added: places[jump] };
  };
}

/** An existing jump host may have a longer chain here than on the gateway that made the bundle. */
async function assertReachable(
  wanted: readonly BackupServer[],
  { present }: Pairs<Row>,
  rows: readonly ServerRow[],
): Promise<void> {
  const jumps = wanted.map(({ jump }, index): Jump => {
    if (jump === null || present[index]) return undefined;
    const id = present[jump]?.id;
    return id === undefined ? { kind: 'file', index: jump } : { kind: 'registry', id };
  });
  const via = new Map(rows.map(({ id, jump_via_id }) => [id, jump_via_id]));
  await assertDepths(jumps, async (id) => depthVia(id, via));
}

function depthVia(start: number, via: ReadonlyMap<number, number | null>): number {
  let depth = 0;
  for (let id: number | null | undefined = start; id != null; id = via.get(id)) {
    depth += 1;
    if (depth > MAX_HOPS) throw new Fault('jump_too_deep');
  }
  return depth;
}

type Fields = Omit<
  Servers['added'][number],
  'id' | keyof JumpFields | 'password_sealed' | 'private_key_sealed' | 'passphrase_sealed'
>;

async function fieldsOf(server: BackupServer): Promise<Fields> {
  const { jump, password, private_key, passphrase, host_key, announced_host_keys, ...fields } = server;
  const announced = announced_host_keys.map(async (key) => ({
    host_key: key,
    fingerprint: await fingerprintOf(key),
  }));
  return {
    ...fields,
    host_key,
    host_key_fingerprint: host_key === null ? '' : await fingerprintOf(host_key),
    key_exchange: null,
    server_version: null,
    announced_host_keys: await Promise.all(announced),
  };
}

async function newRow(server: BackupServer, jump: JumpFields, restoring: Restoring): Promise<Row> {
  const { secrets, warnings, nextId } = restoring;
  const { password, private_key, passphrase } = server;
  if (password === null || private_key === null || passphrase === null) {
    warnings.add(`${server.name}: some of its credentials are not in the bundle; enter them again`);
  }
  const id = await nextId('servers');
  return {
    id,
    ...(await fieldsOf(server)),
    ...jump,
    ...(await sealedFields({ id, ...NO_SECRETS }, server, secrets.replaced)),
  };
}

const NO_SECRETS = { password_sealed: null, private_key_sealed: null, passphrase_sealed: null };

type SealedFields = Pick<ServerRow, keyof typeof NO_SECRETS>;

async function sealedFields(
  { id, ...row }: SealedFields & Pick<ServerRow, 'id'>,
  { password, private_key, passphrase }: BackupServer,
  plan: RestoreSecrets['replaced'],
): Promise<SealedFields> {
  const planned = (place: SealedPlace, sealed: string | null, wanted: string | null) =>
    plan({ place, id, sealed }, wanted);
  return {
    password_sealed: await planned('servers.password', row.password_sealed, password),
    private_key_sealed: await planned('servers.private_key', row.private_key_sealed, private_key),
    passphrase_sealed: await planned('servers.passphrase', row.passphrase_sealed, passphrase),
  };
}

async function replacedRow(
  row: Row,
  server: BackupServer,
  jump: JumpFields,
  { secrets, at }: Restoring,
): Promise<Row> {
  const { key_exchange, server_version, last_connected_at, created_at, updated_at } = row;
  const after = {
    ...row,
    ...(await fieldsOf(server)),
    ...jump,
    ...(await sealedFields(row, server, secrets.replaced)),
    last_connected_at,
    created_at,
    updated_at,
    ...(row.host_key === server.host_key && { key_exchange, server_version }),
  };
  return isSame(row, after) ? row : { ...after, updated_at: at };
}

async function repairedRow(row: Row, server: BackupServer, { secrets, at }: Restoring): Promise<Row> {
  const after = { ...row, ...(await sealedFields(row, server, secrets.repaired)) };
  return isSame(row, after) ? row : { ...after, updated_at: at };
}
