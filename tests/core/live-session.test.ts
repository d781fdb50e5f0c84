import { describe, expect, it } from 'vitest';
import { Fault } from '#core/errors.ts';
import type { Shell, ShellListener } from '#core/ports/ssh.ts';
import {
  createLiveSession,
  type LiveSession,
  type LiveSessionInfo,
  type SessionEnd,
} from '#core/terminal/live-session.ts';
import { createSessionRegistry } from '#core/terminal/session-registry.ts';

const INFO: LiveSessionInfo = {
  id: 'one',
  owner: { user_id: 1, username: 'ann', credential: { kind: 'session', id: 'web' } },
  server: { id: 1, name: 'box' },
};

function setUp() {
  const log: string[] = [];
  const unsent: (() => void)[] = [];
  let listener: ShellListener | undefined;
  let takes_input = true;
  const shell: Shell = {
    start: (given) => {
      listener = given;
    },
    write: () => takes_input,
    resize: ({ cols, rows }) => void log.push(`resize ${cols}x${rows}`),
    pause: () => void log.push('pause'),
    resume: () => void log.push('resume'),
    close: () => void log.push('close'),
  };
  const ends: SessionEnd[] = [];
  const session: LiveSession = createLiveSession(INFO, shell, () => log.push('over'));
  session.attach({
    output: (_bytes, sent) => unsent.push(sent),
    pauseInput: () => log.push('pause input'),
    resumeInput: () => log.push('resume input'),
    ended: (end) => ends.push(end),
  });
  return {
    log,
    ends,
    session,
    remote: () => listener as ShellListener,
    sendAll: () => {
      for (const sent of unsent.splice(0)) sent();
    },
    refuseInput: () => {
      takes_input = false;
    },
  };
}

describe('A live session', () => {
  it('pauses the shell when its socket takes nothing, and resumes when it does again', () => {
    const { log, remote, sendAll } = setUp();
    for (let count = 0; count < 33; count += 1) remote().data(new Uint8Array(32 * 1024));
    expect(log).toEqual(['pause']);
    sendAll();
    expect(log).toEqual(['pause', 'resume']);
  });

  it('pauses its socket when the shell takes no input', () => {
    const { log, remote, session, refuseInput } = setUp();
    refuseInput();
    session.input(new Uint8Array(1));
    remote().drain();
    expect(log).toEqual(['pause input', 'resume input']);
  });

  it('tells its participant once how it ended', () => {
    const { log, ends, remote, session } = setUp();
    remote().end({ kind: 'exit', code: 0, signal: null });
    session.end(new Fault('terminal_ended'));
    expect(ends).toEqual([{ kind: 'exit', code: 0, signal: null }]);
    expect(log).toEqual(['over']);
  });

  it('tells a participant who comes after the end', () => {
    const { session } = setUp();
    session.end(new Fault('terminal_ended', 'Signed out'));
    const ends: SessionEnd[] = [];
    const nothing = () => undefined;
    session.attach({
      output: nothing,
      pauseInput: nothing,
      resumeInput: nothing,
      ended: (end) => ends.push(end),
    });
    expect(ends).toMatchObject([{ kind: 'refused', fault: { code: 'terminal_ended' } }]);
  });

  it('closes the shell when it is ended or left, and passes nothing on afterwards', () => {
    const { log, ends, remote, session } = setUp();
    session.leave();
    remote().data(new Uint8Array(1));
    session.resize({ cols: 1, rows: 1 });
    expect(ends).toEqual([]);
    expect(log).toEqual(['over', 'close']);
  });
});

describe('The session registry', () => {
  it('ends the sessions that match, and all of them when the gateway stops', () => {
    const registry = createSessionRegistry();
    const { session, ends } = setUp();
    registry.opened(session);
    registry.endWhere(({ owner }) => owner.credential.id === 'another', 'Signed out');
    expect(ends).toEqual([]);
    registry.endWhere(({ owner }) => owner.credential.id === 'web', 'Signed out');
    expect(ends).toMatchObject([
      { kind: 'refused', fault: { code: 'terminal_ended', detail: 'Signed out' } },
    ]);
    const second = setUp();
    registry.opened(second.session);
    registry.endAll();
    expect(second.ends).toMatchObject([{ fault: { code: 'shutting_down' } }]);
  });
});
