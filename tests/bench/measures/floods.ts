import { compare, inTurn } from '../compare.ts';
import { median, type Row, row } from '../measure.ts';
import type { Scene } from '../scene.ts';
import { openGatewayTerminal, openSshTerminal, type Terminal } from '../terminal-clients.ts';
import { type Flood, flood, ready, readyMany, type Text } from '../terminal-shells.ts';
import type { Texts } from '../texts.ts';

const AT_ONCE = 8;

/** The throughput of a terminal, and its cost. */
export async function measureFloods(scene: Scene, { long, short }: Texts): Promise<Row[]> {
  const { gateway, server_id, access } = scene;
  const recorded_id = await scene.addServer('recorded', { record_sessions: true });
  const terminals = await Promise.all(
    [
      openSshTerminal(access),
      openGatewayTerminal(gateway, server_id),
      openGatewayTerminal(gateway, recorded_id),
      openGatewayTerminal(gateway, server_id, { acks: false }),
    ].map(ready),
  );
  for (const terminal of terminals) await flood(terminal, short);
  const floods = await inTurn(terminals.map((terminal) => () => flood(terminal, long)));
  for (const terminal of terminals) terminal.close();
  const medians = (key: keyof Flood) => floods.map((found) => median(found.map((one) => one[key])));
  const [theirs = 0, ours = 0, recorded = 0, without_acks = 0] = medians('mb_per_s');
  const [theirs_cpu = 0, ours_cpu = 0, recorded_cpu = 0] = medians('cpu_s_per_gb');
  const size = `${long.bytes / 2 ** 20} MiB`;
  return [
    row(`terminal flood, ${size}`, 'MB/s', { theirs, ours, want: '>= 1.0' }),
    row(`terminal flood, ${size}, recorded`, 'MB/s', { theirs, ours: recorded, want: '>= 0.95' }),
    row(`terminal flood, ${size}, client without acks`, 'MB/s', { theirs, ours: without_acks, want: '' }),
    row('processor time per GB', 's', { theirs: theirs_cpu, ours: ours_cpu, want: '<= 6 s' }),
    row('processor time per GB, recorded', 's', { theirs: theirs_cpu, ours: recorded_cpu, want: '' }),
    await measureTogether(scene, short),
  ];
}

async function measureTogether({ gateway, server_id, access }: Scene, text: Text): Promise<Row> {
  const theirs = await readyMany(AT_ONCE, () => openSshTerminal(access));
  const ours = await readyMany(AT_ONCE, () => openGatewayTerminal(gateway, server_id));
  const rate = (terminals: readonly Terminal[]) => async () => {
    const started = performance.now();
    await Promise.all(terminals.map((terminal) => flood(terminal, text)));
    return (AT_ONCE * text.bytes) / 1000 / (performance.now() - started);
  };
  const rates = await compare(rate(theirs), rate(ours));
  for (const terminal of [...theirs, ...ours]) terminal.close();
  const what = `${AT_ONCE} terminal floods at once, ${text.bytes / 2 ** 20} MiB each`;
  return row(what, 'MB/s', { ...rates, want: '>= 0.95' });
}
