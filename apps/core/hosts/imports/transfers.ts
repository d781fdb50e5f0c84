import { orRecorded } from '../../audit/outcome.ts';
import { type AuditTrail, serverLabel } from '../../audit/trail.ts';
import { Fault } from '../../errors.ts';
import type { Bell } from '../../lib/concurrency/bell.ts';
import { createGiveWay } from '../../lib/concurrency/give-way.ts';
import { createIdPool } from '../../lib/id-pool.ts';
import type { Caller } from '../../model/accounts/caller.ts';
import { type Server, toServer } from '../../model/hosts/server.ts';
import type {
  ImportedServers,
  ServerExport,
  ServerImport,
  SshConfigImport,
} from '../../model/hosts/server-transfer.ts';
import { assertMay } from '../../policy/account.ts';
import type { ImportedServerRow } from '../../ports/repositories/hosts.ts';
import type { Repositories } from '../../ports/repositories.ts';
import type { Background, Clock } from '../../ports/runtime.ts';
import { addedEvent } from '../../webhooks/events.ts';
import type { ServerChanges } from '../changes.ts';
import type { Connections } from '../connections.ts';
import { assertDepths, jumpsOf } from './jumps.ts';
import type { PlannedServer } from './planned-server.ts';
import { openSshConfig } from './ssh-config/parse.ts';
import { planFromSshConfig } from './ssh-config/servers.ts';
import { createWarnings } from './warning-list.ts';
import { withPhrases } from './warning-phrases.ts';
import { warningsAbout, warningsAboutKeys } from './warnings.ts';

/** Exports and imports servers. */
export interface ServerTransfers {
  exportAll(caller: Caller): Promise<ServerExport[]>;
  /** Imports all servers or none. */
  importAll(caller: Caller, input: ServerImport): Promise<ImportedServers>;
  importSshConfig(caller: Caller, input: SshConfigImport): Promise<ImportedServers>;
}

interface Deps {
  readonly repositories: Pick<Repositories, 'servers'>;
  readonly connections: Connections;
  readonly changes: ServerChanges;
  readonly trail: AuditTrail;
  readonly bell: Pick<Bell, 'ring'>;
  readonly background: Background;
  readonly clock: Clock;
}

type Add = (caller: Caller, planned: readonly PlannedServer[]) => Promise<Server[]>;

function createAdd(deps: Deps): Add {
  const { connections, changes, trail, bell, background, clock } = deps;
  const { servers } = deps.repositories;

  async function toRow(
    { user_id }: Caller,
    { input, jump }: PlannedServer,
    place: { readonly id: number; readonly at: string },
  ): Promise<ImportedServerRow> {
    const jump_via_index = jump?.kind === 'file' ? jump.index : undefined;
    const jump_via_id = jump?.kind === 'registry' ? jump.id : null;
    try {
      return { ...(await changes.newRow({ ...input, jump_via_id }, place, { user_id })), jump_via_index };
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      throw new Fault(error.code, `${input.name}: ${error.detail}`, { ...error.options, cause: error });
    }
  }

  return async (caller, planned) => {
    await assertDepths(
      planned.map(({ jump }) => jump),
      connections.depthVia,
    );
    const at = clock.now().toISOString();
    const giveWay = createGiveWay();
    const nextId = createIdPool(servers.reserveIds, planned.length);
    const rows: ImportedServerRow[] = [];
    for (const server of planned) {
      await giveWay();
      rows.push(await toRow(caller, server, { id: await nextId(), at }));
    }
    const created = await orRecorded(
      servers.insertAll(rows, (row) => addedEvent(caller, row)),
      background,
      (ending) => trail.record(caller, 'server_import', `${rows.length} servers${ending}`),
    );
    bell.ring();
    await trail.record(caller, 'server_import', `${created.length}: ${created.map(serverLabel).join(', ')}`);
    return created.map(toServer);
  };
}

export function createServerTransfers(deps: Deps): ServerTransfers {
  const { trail } = deps;
  const { servers } = deps.repositories;
  const add = createAdd(deps);

  return {
    async exportAll(caller) {
      assertMay(caller, 'read_administration');
      const rows = await servers.list();
      const names = new Map(rows.map(({ id, name }) => [id, name]));
      await trail.record(caller, 'server_export', `${rows.length} servers`, { retry: false });
      return rows.map((row) => ({
        ...toServer(row),
        jump_via_name: row.jump_via_id === null ? null : (names.get(row.jump_via_id) ?? null),
      }));
    },

    async importAll(caller, input) {
      assertMay(caller, 'administer');
      const registry = await servers.list();
      const { jumps, warnings: left_out } = jumpsOf(input.servers, registry);
      const planned = input.servers.map(
        ({ id: _id, jump_via_name: _name, host_key_fingerprint: _key, ...server }, index) => ({
          input: server,
          jump: jumps[index],
        }),
      );
      const warnings = createWarnings();
      warnings.add(...left_out);
      warnings.addFirst(...warningsAbout(planned, registry), ...warningsAboutKeys(input.servers));
      return { created: await add(caller, planned), ...withPhrases(warnings.list()) };
    },

    async importSshConfig(caller, { text, group, username = caller.username, hosts: names }) {
      assertMay(caller, 'administer');
      const registry = await servers.list();
      const warnings = createWarnings();
      const config = await openSshConfig(text, warnings, names);
      const planned = await planFromSshConfig(config, { group, username, registry }, warnings);
      if (planned.length === 0) {
        const [why = ''] = warnings.list();
        throw new Fault('validation', `No host in this text. ${why}`.trim());
      }
      warnings.addFirst(...warningsAbout(planned, registry));
      return { created: await add(caller, planned), ...withPhrases(warnings.list()) };
    },
  };
}
