import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import type { AuditEntry } from '#core/model/audit/audit.ts';
import type { Server } from '#core/model/hosts/server.ts';
import { type Actor, freshAddress, type TestGateway } from '../../support/gateway/gateway.ts';
import { openTerminal, type TerminalClient } from '../../support/gateway/ws.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';

/** Set while the tests of one file run. */
export let sshd: Sshd;

/** Starts a host for the tests of one file. */
export function useSshd(): void {
  beforeAll(async () => {
    sshd = await startSshd();
    await writeFile(join(sshd.folder, 'notes.txt'), 'one line of text\n');
  });
  afterAll(() => sshd?.stop());
}

export interface Scene {
  readonly gateway: TestGateway;
  readonly server: Server;
  /** The address of the action, as reported by a trusted proxy. */
  readonly address: string;
}

export async function sceneOn(gateway: TestGateway): Promise<Scene> {
  const { port, username, password } = sshd;
  const server = await gateway.addServer({ name: 'box', port, username, password });
  return { gateway, server, address: freshAddress() };
}

export function send({ address }: Scene, actor: Actor, method: string, path: string, body?: unknown) {
  return actor.fetch(path, {
    method,
    headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

export async function ask<T = unknown>(
  scene: Scene,
  actor: Actor,
  method: string,
  path: string,
  body?: unknown,
) {
  const response = await send(scene, actor, method, path, body);
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return JSON.parse(text || 'null') as T;
}

export async function idOf(actor: Actor): Promise<number> {
  return (await actor.call<{ id: number }>('GET', '/api/auth/me')).body.id;
}

export function terminalOf(
  { gateway, server, address }: Scene,
  actor: Actor,
  id = server.id,
): TerminalClient {
  return openTerminal(`${gateway.url}/api/ws/terminal/${id}?cols=80&rows=24`, {
    headers: { authorization: `Bearer ${actor.token}`, 'x-forwarded-for': address },
  });
}

export function socketOf(
  { gateway, address }: Scene,
  actor: Pick<Actor, 'token'>,
  path: string,
): TerminalClient {
  return openTerminal(`${gateway.url}/api/ws/terminal/${path}`, {
    headers: { authorization: `Bearer ${actor.token}`, 'x-forwarded-for': address },
  });
}

export const downloadPath = ({ server }: Scene) =>
  `/api/files/${server.id}/download?path=${encodeURIComponent(join(sshd.folder, 'notes.txt'))}`;
export const labelOf = ({ server }: Scene) => `box (#${server.id})`;

export const query = (fields: Record<string, string>) => new URLSearchParams(fields).toString();

export async function entries({ admin }: TestGateway, fields: Record<string, string>): Promise<AuditEntry[]> {
  return (await admin.call<AuditEntry[]>('GET', `/api/auth/audit?${query(fields)}`)).body;
}
