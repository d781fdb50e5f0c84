import { createActivityRegistry } from '#core/activities/registry.ts';
import { createFileAccess } from '#core/files/access.ts';
import { createFileChanges } from '#core/files/changes.ts';
import { createLargeAnswers } from '#core/files/large-answers.ts';
import { createFiles } from '#core/files/listing.ts';
import { createLooks } from '#core/files/looks/looks.ts';
import type { Connections } from '#core/hosts/connections.ts';
import { createReach } from '#core/hosts/reach.ts';
import type { Caller } from '#core/model/accounts/caller.ts';
import type { Operation, PathsOf } from '#core/policy/sftp-rules.ts';
import type { FileSession, Files } from '#core/ports/files.ts';
import { systemClock } from '#server/lib/clock.ts';
import { serverRow } from '../../support/databases/rows.ts';
import type { Sshd } from '../../support/hosts/sshd.ts';
import { NEVER, targetTo } from '../setup.ts';

const CALLER: Caller = {
  user_id: 1,
  username: 'admin',
  is_admin: true,
  allowed_groups: [],
  must_change_password: false,
  credential: { kind: 'session', id: 'one' },
  scopes: ['files'],
  is_fresh: true,
  in_demo: false,
  ip_address: '127.0.0.1',
  via: 'page',
};

/** Runs an operation as the gateway does; resolves with what it read. */
export type Act = (operation: Operation, paths: Readonly<Record<string, string>>) => Promise<string>;

/** The files of a host for an administrator who may use these directories. */
export function accessTo(sshd: Sshd, files: Files, sftp_allowed_paths: string[]): Act {
  const row = { id: 1, ...serverRow({ sftp_allowed_paths }) };
  const unused = () => Promise.reject(new Error('Nobody asks for this here'));
  const connections: Connections = {
    targetOf: unused,
    targetFor: async () => targetTo(sshd),
    targetWith: unused,
    askingHop: unused,
    forgetTyped: unused,
    wayTo: unused,
    hopOf: unused,
    assertJump: unused,
    depthVia: unused,
  };
  const reach = createReach({ servers: { byId: async () => row } });
  const access = createFileAccess({ reach, connections, files, activities: createActivityRegistry() });
  const trail = { record: async () => {}, recordAll: async () => {}, fire: async () => {} };
  const looking = createFiles({ access, large_answers: createLargeAnswers(systemClock.after) });
  const looks = createLooks({ access, clock: systemClock });
  const changes = createFileChanges({ access, trail });
  const server_id = 1;

  /** Operations whose services need a database: the same check, then the same calls on the host. */
  async function onHost<O extends Operation>(
    operation: O,
    paths: PathsOf<O>,
    work: (session: FileSession, real: string) => Promise<string>,
  ): Promise<string> {
    return access.act({ caller: CALLER, server_id, operation, paths }, ({ session, real }) =>
      work(session, Object.values<string>(real)[0] ?? ''),
    );
  }
  return async (operation, paths) => {
    const { path = '', source_path = '', target_path = '', old_path = '', new_path = '' } = paths;
    const place = { server_id, path };
    switch (operation) {
      case 'home':
        return (await looking.home(CALLER, server_id)).path;
      case 'ls':
        return JSON.stringify(await looking.list(CALLER, place));
      case 'stat':
        return JSON.stringify(await looking.stat(CALLER, place));
      case 'read':
        return (await looking.read(CALLER, place)).content;
      case 'search':
        return JSON.stringify(await looking.search(CALLER, { ...place, q: 'a', limit: 50 }));
      case 'excerpt': {
        const part = { kind: 'tail', lines: 10 } as const;
        return (await looks.excerpt(CALLER, { ...place, part })).text;
      }
      case 'sizes':
        return JSON.stringify(await looks.sizes(CALLER, { ...place, limit: 50 }));
      case 'recent':
        return JSON.stringify(await looks.recent(CALLER, { ...place, limit: 50 }));
      case 'space':
        return JSON.stringify(await looks.space(CALLER, place));
      case 'download':
        return onHost('download', { path }, read);
      case 'copy_from':
        return onHost('copy_from', { source_path }, readTree);
      case 'zip':
        return onHost('zip', { path }, zip);
      case 'archive':
        return onHost('archive', { path }, read);
      case 'extract':
        return onHost('extract', { target_path, path }, write);
      case 'write':
        return onHost('write', { path }, write);
      case 'upload':
        return onHost('upload', { path }, write);
      case 'copy_into':
        return onHost('copy_into', { target_path }, write);
      case 'mkdir':
        return JSON.stringify(await changes.makeDirectory(CALLER, place));
      case 'mkdir_parents':
        return JSON.stringify(await changes.makeDirectory(CALLER, { ...place, parents: true }));
      case 'rename': {
        const overwrite = old_path.length % 2 === 0;
        return JSON.stringify(await changes.rename(CALLER, { server_id, old_path, new_path, overwrite }));
      }
      case 'delete':
        return JSON.stringify(await changes.remove(CALLER, place));
      case 'chmod':
        return JSON.stringify(await changes.changeMode(CALLER, { ...place, mode: '775', recursive: true }));
    }
  };
}

async function read(session: FileSession, real: string): Promise<string> {
  return Buffer.from(await (await session.openRead(real)).readAll(1000)).toString();
}

async function readTree(session: FileSession, real: string): Promise<string> {
  const texts: string[] = [];
  for await (const { path, stat } of session.walk(real, { signal: NEVER })) {
    if (stat?.kind === 'file') texts.push(await read(session, path));
  }
  return texts.join('\n');
}

async function zip(session: FileSession, real: string): Promise<string> {
  const stream = session.archive([{ path: real, name: '' }], { signal: NEVER });
  return Buffer.from(await new Response(stream).arrayBuffer()).toString('latin1');
}

async function write(session: FileSession, real: string): Promise<string> {
  const part = `${real}.part`;
  try {
    const options = { target: real, overwrite: true, is_private: true, signal: NEVER };
    await session.putPart(part, content(), options);
  } finally {
    await session.removePart(part);
  }
  return 'written';
}

async function* content() {
  yield Buffer.from('INSIDE');
}
