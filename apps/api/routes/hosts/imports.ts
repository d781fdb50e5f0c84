import type { HostKeyImports } from '#core/hosts/imports/host-keys.ts';
import type { ServerTransfers } from '#core/hosts/imports/transfers.ts';
import {
  exportServers,
  importHostKeys,
  importServers,
  importSshConfig,
} from '../../contract/hosts/imports.ts';
import type { Router } from '../../http/router.ts';

interface Options {
  readonly server_transfers: ServerTransfers;
  readonly host_key_imports: HostKeyImports;
}

export function mountServerImports(router: Router, { server_transfers, host_key_imports }: Options): void {
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
}
