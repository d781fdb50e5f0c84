import { describe, expect, it } from 'vitest';
import { orRecorded, recordOutcome } from '#core/audit/outcome.ts';
import { Fault } from '#core/errors.ts';

/** What is recorded of a change, and what it comes to. */
async function outcomeOf(change: Promise<unknown>): Promise<{ recorded: string[]; code: string }> {
  const recorded: string[] = [];
  const record = async (ending: string) => void recorded.push(`/srv/a${ending}`);
  const failed = (error: unknown) => (error instanceof Fault ? error.code : 'foreign');
  return { code: await recordOutcome(change, record).then(() => 'done', failed), recorded };
}

describe('A change of a file', () => {
  it('is recorded when the host has made it', async () => {
    expect(await outcomeOf(Promise.resolve())).toEqual({ code: 'done', recorded: ['/srv/a'] });
  });

  it.each(['host_disconnected', 'operation_timeout', 'transfer_ended'] as const)(
    'whose answer was lost is recorded with what came in between: %s',
    async (code) => {
      expect(await outcomeOf(Promise.reject(new Fault(code)))).toEqual({
        code,
        recorded: [`/srv/a: ${code}`],
      });
    },
  );

  it.each(['permission_denied', 'already_exists', 'path_outside_allowed'] as const)(
    'that the host has refused is not recorded: %s',
    async (code) => {
      expect(await outcomeOf(Promise.reject(new Fault(code)))).toEqual({ code, recorded: [] });
    },
  );

  it('that cannot be recorded is not told to be done', async () => {
    const full = async () => {
      throw new Error('The database is gone');
    };
    await expect(recordOutcome(Promise.resolve(), full)).rejects.toThrow('The database is gone');
  });
});

describe('A write to the own database', () => {
  async function recordedOf(write: Promise<unknown>): Promise<string[]> {
    const recorded: string[] = [];
    const background = { run: (_what: string, work: Promise<unknown>) => void work };
    const record = async (ending: string) => void recorded.push(`box${ending}`);
    await orRecorded(write, background, record).catch(() => undefined);
    return recorded;
  }

  it('whose answer was lost is recorded, for it may have been carried out', async () => {
    const lost = Promise.reject(new Fault('database_unavailable'));
    expect(await recordedOf(lost)).toEqual(['box: database_unavailable']);
  });

  it.each(['database_full', 'jump_host_unknown'] as const)('that was refused is not: %s', async (code) => {
    expect(await recordedOf(Promise.reject(new Fault(code)))).toEqual([]);
  });

  it('that was answered is left to whoever asked for it', async () => {
    expect(await recordedOf(Promise.resolve(1))).toEqual([]);
  });
});
