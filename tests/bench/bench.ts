import { truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startSshd } from '../support/sshd.ts';
import { startGatewayProcess } from './gateway-process.ts';
import { median, memory, type Row, table } from './measure.ts';
import { curlGet, sftpGet } from './programs.ts';
import { echoTimes, openGatewayTerminal, openSshTerminal, type Terminal, throughput } from './terminals.ts';

const ROUNDS = 3;
const TEXT_BYTES = 100 * 1024 * 1024;
const FILE_BYTES = 512 * 1024 * 1024;

const sshd = await startSshd();
const text = join(sshd.folder, 'text');
const blob = join(sshd.folder, 'blob');
const key = join(sshd.folder, '..', 'bench_key');
const line = `${'The quick brown fox jumps over the lazy dog. '.repeat(2)}\n`;
await writeFile(text, line.repeat(Math.ceil(TEXT_BYTES / line.length)));
await truncate(await created(blob), FILE_BYTES);
await writeFile(key, sshd.private_key, { mode: 0o600 });

const gateway = await startGatewayProcess();
const server_id = await gateway.addServer(sshd);
const rows: Row[] = [];

const openers: Record<'ssh' | 'ours', () => Promise<Terminal>> = {
  ssh: () => openSshTerminal({ ...sshd, key }),
  ours: () => openGatewayTerminal(gateway, server_id),
};

/** Medians of both, measured in turn, so that a busy moment of the machine meets both. */
async function compare(theirs: () => Promise<number>, ours: () => Promise<number>) {
  const values = { theirs: [] as number[], ours: [] as number[] };
  for (let round = 0; round < ROUNDS; round += 1) {
    values.theirs.push(await theirs());
    values.ours.push(await ours());
  }
  return { theirs: median(values.theirs), ours: median(values.ours) };
}

async function textThroughput(open: () => Promise<Terminal>): Promise<number> {
  const terminal = await open();
  const mb_per_s = await throughput(terminal, text);
  terminal.close();
  return mb_per_s;
}

async function measureTerminal(): Promise<void> {
  rows.push({
    what: 'terminal throughput (cat 100 MiB)',
    unit: 'MB/s',
    want: '>= 0.95',
    ...(await compare(
      () => textThroughput(openers.ssh),
      () => textThroughput(openers.ours),
    )),
  });
  for (const quantile of [0.5, 0.99]) {
    const echo = (open: () => Promise<Terminal>) => async () => (await echoTimes(open))(quantile);
    const times = await compare(echo(openers.ssh), echo(openers.ours));
    rows.push({
      what: `key echo p${quantile * 100}`,
      unit: 'µs',
      want: quantile === 0.5 ? '<= 2' : '',
      ...times,
    });
  }
}

async function measureDownload(): Promise<void> {
  const before = memory.reset(gateway.pid);
  const rate = (seconds: number) => FILE_BYTES / 1e6 / seconds;
  await gateway.download(server_id, blob, curlGet); // the connection is pooled from here on, as it is in use
  const rates = await compare(
    async () => rate(await sftpGet({ ...sshd, key }, blob)),
    async () => rate(await gateway.download(server_id, blob, curlGet)),
  );
  rows.push({ what: 'download 512 MiB', unit: 'MB/s', want: '>= 0.8', ...rates });
  const growth = memory.peak(gateway.pid) - before;
  rows.push({ what: 'gateway memory growth while downloading', unit: 'MiB', ours: growth, want: '<= 64' });
}

async function created(path: string): Promise<string> {
  await writeFile(path, '');
  return path;
}

try {
  await measureTerminal();
  await measureDownload();
  console.log(table(rows));
} finally {
  await gateway.stop();
  await sshd.stop();
}
