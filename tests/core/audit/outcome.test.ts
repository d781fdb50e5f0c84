import { describe, expect, it } from 'vitest';
import { orRecorded, recordOutcome } from '#core/audit/outcome.ts';
import { Fault } from '#core/errors.ts';

/** The audit detail of a change, and its result. */
async function outcomeOf(change: Promise<unknown>): Promise<{ recorded: string[]; code: string }> {
  const recorded: string[] = [];
  const record = async (ending: string) => void recorded.push(`/srv/a${ending}`);
  const failed = (error: unknown) => (error instanceof Fault ? error.code : 'foreign');
  return { code: await recordOutcome(change, record).then(() => 'done', failed), recorded };
}

describe('A file change', () => {
  it('is recorded when the host has made it', async () => {
    expect(await outcomeOf(Promise.resolve())).toEqual({ code: 'done', recorded: ['/srv/a'] });
  });

  it.each(['client_left', 'host_disconnected', 'operation_timeout', 'transfer_ended'] as const)(
    'is recorded with the failure when its answer was lost: %s',
    async (code) => {
      expect(await outcomeOf(Promise.reject(new Fault(code)))).toEqual({
        code,
        recorded: [`/srv/a: ${code}`],
      });
    },
  );

  it.each(['permission_denied', 'already_exists', 'path_outside_allowed'] as const)(
    'is not recorded when the host refused it: %s',
    async (code) => {
      expect(await outcomeOf(Promise.reject(new Fault(code)))).toEqual({ code, recorded: [] });
    },
  );

  it('fails when it cannot be recorded', async () => {
    const full = async () => {
      throw new Error('The database is gone');
    };
    await expect(recordOutcome(Promise.resolve(), full)).rejects.toThrow('The database is gone');
  });
});

describe('A write to the gateway’s own database', () => {
  async function recordedOf(write: Promise<unknown>): Promise<string[]> {
    const recorded: string[] = [];
    const background = { run: (_what: string, work: Promise<unknown>) => void work };
    const record = async (ending: string) => void recorded.push(`box${ending}`);
    await orRecorded(write, background, record).catch(() => undefined);
    return recorded;
  }

  it('is recorded when its answer was lost, because it may have been carried out', async () => {
    const lost = Promise.reject(new Fault('database_unavailable'));
    expect(await recordedOf(lost)).toEqual(['box: database_unavailable']);
  });

  it('is not recorded when the database has rolled it back', async () => {
    const undone = Promise.reject(new Fault('database_unavailable', undefined, { is_undone: true }));
    expect(await recordedOf(undone)).toEqual([]);
  });

  it.each(['database_full', 'jump_host_unknown'] as const)(
    'is not recorded when it was refused: %s',
    async (code) => {
      expect(await recordedOf(Promise.reject(new Fault(code)))).toEqual([]);
    },
  );

  it('leaves recording to its caller when it was answered', async () => {
    expect(await recordedOf(Promise.resolve(1))).toEqual([]);
  });
});
