import { describe, expect, it } from 'vitest';
import { sessionDouble } from './session-double.ts';

describe('The idle timeout of a running terminal', () => {
  it('ends it at the right time when it is shortened', async () => {
    const { clock, attach, limit } = sessionDouble({ limits: { idle_ms: 3_600_000 } });
    const { ends } = attach();
    await clock.pass(3000);
    limit({ idle_ms: 5000 });
    await clock.pass(1900);
    expect(ends).toEqual([]);
    await clock.pass(200);
    expect(ends).toMatchObject([{ kind: 'refused', fault: { code: 'idle_timeout' } }]);
  });

  it('ends it at once when it has already been idle for longer', async () => {
    const { clock, attach, limit } = sessionDouble();
    const { ends } = attach();
    await clock.pass(3000);
    limit({ idle_ms: 2000 });
    await clock.pass(100);
    expect(ends).toMatchObject([{ fault: { code: 'idle_timeout' } }]);
  });

  it('lets it continue when it is extended or removed', async () => {
    const { clock, attach, limit } = sessionDouble({ limits: { idle_ms: 2000 } });
    const { ends } = attach();
    await clock.pass(1500);
    limit({ idle_ms: 4000 });
    await clock.pass(2000);
    limit({ idle_ms: undefined });
    await clock.pass(10_000);
    expect(ends).toEqual([]);
  });

  it('has no effect on an ended terminal', async () => {
    const { clock, attach, remote, limit, log } = sessionDouble();
    const owner = attach();
    remote().end({ kind: 'exit', code: 0, signal: null });
    owner.attachment.detach('closed');
    const timers = clock.timers();
    limit({ idle_ms: 1000, resume_ms: 0 });
    expect(clock.timers()).toBe(timers);
    expect(log).toEqual(['over: exit', 'forgotten']);
  });
});

describe('The time for which a shell survives its connection', () => {
  it('counts from the disconnect, even when it is changed afterwards', async () => {
    const { clock, attach, limit, log } = sessionDouble();
    attach().attachment.detach('dropped');
    await clock.pass(3000);
    limit({ resume_ms: 5000 });
    await clock.pass(1900);
    expect(log).toEqual([]);
    await clock.pass(200);
    expect(log).toEqual(['close', 'over: left', 'forgotten']);
  });

  it('may be extended while its owner is disconnected', async () => {
    const { clock, attach, limit, log } = sessionDouble({ limits: { resume_ms: 2000 } });
    attach().attachment.detach('dropped');
    await clock.pass(1500);
    limit({ resume_ms: 60_000 });
    await clock.pass(50_000);
    expect(log).toEqual([]);
  });

  it('has no effect while the owner is connected', async () => {
    const { clock, attach, limit, log } = sessionDouble();
    attach();
    limit({ resume_ms: 0 });
    await clock.pass(10_000);
    expect(log).toEqual([]);
  });
});
