import type { HostKeyImports } from '#core/hosts/imports/host-keys.ts';
import type { ServerTransfers } from '#core/hosts/imports/transfers.ts';
import type { Revocations } from '#core/hosts/revocations.ts';
import {
  exportServers,
  importHostKeys,
  importServers,
  importSshConfig,
  listRevokedHostKeys,
  removeRevokedHostKey,
} from '../../contract/hosts/imports.ts';
import type { Router } from '../../http/router.ts';

interface Options {
  readonly server_transfers: ServerTransfers;
  readonly host_key_imports: HostKeyImports;
  readonly revocations: Revocations;
}

export function mountServerImports(router: Router, options: Options): void {
  const { server_transfers, host_key_imports, revocations } = options;
  router.on(exportServers, async (c) => c.json(await server_transfers.exportAll(c.var.caller), 200));
  router.on(importServers, async (c) =>
    c.json(await server_transfers.importAll(c.var.caller, c.req.valid('json')), 201),
  );
  router.on(importSshConfig, async (c) =>
    c.json(await server_transfers.importSshConfig(c.var.caller, c.req.valid('json')), 201),
  );
  router.on(importHostKeys, async (c) =>
    c.json(await host_key_imports.importAll(c.var.caller, c.req.valid('json').text), 201),
  );
  router.on(listRevokedHostKeys, async (c) => c.json(await revocations.list(c.var.caller), 200));
  router.on(removeRevokedHostKey, async (c) => {
    await revocations.remove(c.var.caller, c.req.valid('param').id);
    return c.body(null, 204);
  });
}
