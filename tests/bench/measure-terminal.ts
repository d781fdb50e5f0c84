import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { compare } from './compare.ts';
import type { Row } from './measure.ts';
import type { Scene } from './scene.ts';
import { echoTimes, openGatewayTerminal, openSshTerminal, type Terminal, throughput } from './terminals.ts';

const TEXT_BYTES = 100 * 1024 * 1024;
const LINE = `${'The quick brown fox jumps over the lazy dog. '.repeat(2)}\n`;

export async function measureTerminal({ sshd, gateway, server_id, access }: Scene): Promise<Row[]> {
  const text = join(sshd.folder, 'text');
  await writeFile(text, LINE.repeat(Math.ceil(TEXT_BYTES / LINE.length)));
  const ssh = () => openSshTerminal(access);
  const ours = () => openGatewayTerminal(gateway, server_id);
  const rate = (open: () => Promise<Terminal>) => async () => {
    const terminal = await open();
    const mb_per_s = await throughput(terminal, text);
    terminal.close();
    return mb_per_s;
  };
  const rows: Row[] = [];
  const rates = await compare(rate(ssh), rate(ours));
  rows.push({ what: 'terminal throughput (cat 100 MiB)', unit: 'MB/s', want: '>= 0.95', ...rates });
  for (const quantile of [0.5, 0.99]) {
    const echo = (open: () => Promise<Terminal>) => async () => (await echoTimes(open))(quantile);
    const times = await compare(echo(ssh), echo(ours));
    rows.push({
      what: `key echo p${quantile * 100}`,
      unit: 'µs',
      want: quantile === 0.5 ? '<= 2' : '',
      ...times,
    });
  }
  return rows;
}
