import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Server } from '#core/model/hosts/server.ts';
import type { Recording } from '#core/model/recording.ts';
import { eventually } from '../eventually.ts';
import type { Actor, TestGateway } from '../gateway/gateway.ts';
import { openTerminal, type TerminalClient } from '../gateway/ws.ts';
import type { Sshd } from '../hosts/sshd.ts';

/** The shell of a registered server, once it is there. */
export async function shellOn(gateway: TestGateway, actor: Actor, server_id: number) {
  const client = openTerminal(`${gateway.url}/api/ws/terminal/${server_id}?cols=80&rows=24`, {
    headers: { authorization: `Bearer ${actor.token}` },
  });
  await client.frame('session');
  return client;
}

export function hostOf(gateway: TestGateway, sshd: Sshd, fields: Partial<Server> = {}): Promise<Server> {
  const { port, username, password } = sshd;
  return gateway.addServer({ port, username, password, ...fields });
}

export async function recordingsOf(actor: Actor, query = ''): Promise<Recording[]> {
  return (await actor.call<Recording[]>('GET', `/api/recordings${query}`)).body;
}

/** The newest of this caller, once nothing more is written to it. */
export function closedRecording(actor: Actor): Promise<Recording> {
  return eventually(async () => {
    const [newest] = await recordingsOf(actor);
    if (!newest || newest.status === 'recording') throw new Error('Still being recorded');
    return newest;
  });
}

/** Types, sees what comes of it, ends the shell, and waits for the recording. */
export async function record(
  actor: Actor,
  client: TerminalClient,
  { keys, sees }: { keys: string; sees: RegExp },
): Promise<Recording> {
  client.type(keys);
  await client.sees(sees);
  client.type('exit\r');
  await client.closed();
  return closedRecording(actor);
}

export function fileOf({ config }: TestGateway, { file_path }: Recording): string {
  return join(config.recordings.dir, file_path);
}

export interface CastLines {
  readonly header: Record<string, unknown>;
  readonly events: [number, string, string][];
  /** All that was shown. */
  readonly output: string;
}

export async function readCast(path: string): Promise<CastLines> {
  const [header = '{}', ...lines] = (await readFile(path, 'utf8')).trimEnd().split('\n');
  const events = lines.map((line) => JSON.parse(line) as [number, string, string]); // as asciicast v2 has them
  const output = events.filter(([, code]) => code === 'o').map(([, , text]) => text);
  return { header: JSON.parse(header), events, output: output.join('') };
}
