import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type GatewayProcess, startGatewayProcess } from '../gateway-process.ts';
import { type Row, row } from '../measure.ts';
import { withScene } from '../scene.ts';
import { openGatewayTerminal } from '../terminal-clients.ts';
import { ready } from '../terminal-shells.ts';
import { echoFigures } from './echo.ts';

/** What a keeper costs: the echo of a key with it, against the same gateway without it. */
export async function measureKeeper(): Promise<Row[]> {
  return withScene(async ({ sshd, gateway, server_id }) =>
    withKeeper(async (kept) => {
      const kept_id = await kept.addServer(sshd, 'kept', {
        auth_method: 'key',
        private_key: sshd.private_key,
      });
      const figures = await echoFigures(
        () => ready(openGatewayTerminal(gateway, server_id)),
        () => ready(openGatewayTerminal(kept, kept_id)),
      );
      const { theirs, ours } = figures(0.5);
      return [
        row('key echo p50, without and with a keeper', 'µs', { theirs, ours, want: '<= 1.2' }),
        row('key echo p99, without and with a keeper', 'µs', { ...figures(0.99), want: '<= 1.5' }),
        row('added by the keeper, p50', 'µs', { ours: ours - theirs, want: '< 30 µs' }),
      ];
    }),
  );
}

async function withKeeper<T>(measure: (kept: GatewayProcess) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-kept-'));
  const env = { SERVICE_KEEPER: 'on', SERVICE_DISABLE_MONITOR: 'true', SERVICE_DATA_DIR: folder };
  const kept = await startGatewayProcess({ env });
  try {
    return await measure(kept);
  } finally {
    await kept.stop(); // the keeper ends a minute later
    rmSync(folder, { recursive: true, force: true });
  }
}
