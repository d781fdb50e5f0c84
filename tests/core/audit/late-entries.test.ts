import { beforeAll, describe, expect, it } from 'vitest';
import { verifyAudit } from '#core/audit/verification/verify.ts';
import type { AuditSeal } from '#core/crypto/audit-seal.ts';
import { Fault, type FaultCode } from '#core/errors.ts';
import type { GatewayEvent } from '#core/model/webhooks/event.ts';
import { silent } from '../../support/databases/stores.ts';
import { auditChainOn, auditSeal, createMemory, entry, type Memory } from './in-memory.ts';

let seal: AuditSeal;
beforeAll(async () => {
  seal = await auditSeal();
});

const detailsOf = (memory: Memory) => memory.entries.map(({ detail }) => detail);
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error: unknown) => (error instanceof Fault ? error.code : String(error)),
  );

const EVENT: GatewayEvent = {
  event: 'sftp_delete',
  data: { user: 'ada', server_id: 1, server: 'box', path: '/srv/a' },
};
const FIRED = { event: EVENT, fired_at: '2026-01-02T03:04:05.678Z' };

/** The error of a database that answers and refuses. */
const refusal = () => new Error('violates a foreign key');

/** A chain with one entry, on a database that the test takes away and brings back. */
async function setUp(code: FaultCode = 'database_unavailable') {
  const memory = createMemory();
  const lines: object[] = [];
  const rings: number[] = [];
  const log = { ...silent, error: (fields: object) => void lines.push(fields) };
  const bell = { ring: () => void rings.push(memory.told.length) };
  const chain = auditChainOn(memory, seal, { log, bell });
  await chain.append(entry('before'));
  const { append, chain: readChain } = memory;
  const refuse = async () => {
    throw new Fault(code);
  };
  return {
    ...{ memory, chain, lines, rings },
    leave: () => Object.assign(memory, { append: refuse, chain: refuse }),
    /** Reads work again. */
    fill: () => Object.assign(memory, { append: refuse }),
    comeBack: () => Object.assign(memory, { append, chain: readChain }),
    verdict: () => verifyAudit({ audit: memory, seal }, chain.head()),
  };
}

describe('An audit entry that cannot be stored because the database is unavailable', () => {
  it.each(['database_unavailable', 'database_full'] as const)(
    'fails with %s, and is written later with its original time',
    async (code) => {
      const { memory, chain, leave, comeBack, verdict } = await setUp(code);
      leave();
      const at = '2026-01-02T00:00:00.000Z';
      expect(await codeOf(chain.append({ ...entry('a deed'), created_at: at }))).toBe(code);
      comeBack();
      await chain.settle();
      expect(memory.entries.at(-1)).toMatchObject({ detail: 'a deed; written late', created_at: at });
      expect(await verdict()).toMatchObject({ ok: true, entries: 2 });
    },
  );

  it('is written before the next entry, in the order of the actions', async () => {
    const { memory, chain, leave, comeBack } = await setUp();
    leave();
    for (const detail of ['a', '', 'c']) await codeOf(chain.append(entry(detail)));
    comeBack();
    await chain.append(entry('next'));
    const late = ['a; written late', 'written late', 'c; written late'];
    expect(detailsOf(memory)).toEqual(['before', ...late, 'next']);
  });

  it('keeps its event, and wakes the delivery once it is stored', async () => {
    const { memory, chain, rings, leave, comeBack } = await setUp();
    leave();
    await codeOf(chain.append(entry('a deed'), { event: FIRED }));
    await codeOf(chain.fire(FIRED));
    expect([memory.told, rings]).toEqual([[], []]);
    comeBack();
    await chain.settle();
    expect([memory.told, rings]).toEqual([[FIRED, FIRED], [2]]);
  });

  it('is stored with at most 50 events in one write', async () => {
    const { memory, chain } = await setUp();
    await Promise.all(Array.from({ length: 120 }, () => chain.append(entry('a deed'), { event: FIRED })));
    expect(Math.max(...memory.batches)).toBe(50);
    expect(memory.told).toHaveLength(120);
  });

  it('is dropped when its action is refused without it', async () => {
    const { memory, chain, leave, comeBack } = await setUp();
    leave();
    expect(await codeOf(chain.append(entry('not done'), { retry: false }))).toBe('database_unavailable');
    comeBack();
    await chain.append(entry('next'));
    expect(detailsOf(memory)).toEqual(['before', 'next']);
  });

  it('is never written twice when only the answer was lost', async () => {
    const { memory, chain, leave, comeBack, verdict } = await setUp();
    memory.trouble = (store) => {
      store();
      leave();
      throw new Fault('database_unavailable');
    };
    await codeOf(chain.append(entry('unanswered'), { event: FIRED }));
    await codeOf(chain.append(entry('away')));
    comeBack();
    await chain.settle();
    expect(detailsOf(memory)).toEqual(['before', 'unanswered', 'away; written late']);
    expect(memory.told).toEqual([FIRED]);
    expect(await verdict()).toMatchObject({ ok: true, entries: 3 });
  });

  it('is not written twice when the first write arrives after later attempts', async () => {
    const { memory, chain, fill, comeBack, verdict } = await setUp();
    let arrive = () => {};
    memory.trouble = (store) => {
      arrive = store;
      throw new Fault('database_unavailable');
    };
    await codeOf(chain.append(entry('slow')));
    fill();
    for (const detail of ['b', 'c']) await codeOf(chain.append(entry(detail)));
    arrive();
    comeBack();
    await chain.append(entry('next'));
    expect(detailsOf(memory)).toEqual(['before', 'slow', 'b; written late', 'c; written late', 'next']);
    expect(await verdict()).toMatchObject({ ok: true, entries: 5 });
  });

  it('delays nobody, however many entries are pending', async () => {
    const { memory, chain, fill, comeBack } = await setUp('database_full');
    fill();
    const count = 1_200;
    const codes = await Promise.all(
      Array.from({ length: count }, (_, i) => codeOf(chain.append(entry(String(i))))),
    );
    expect(new Set(codes)).toEqual(new Set(['database_full']));
    expect(await codeOf(chain.append(entry('one more')))).toBe('database_full');
    comeBack();
    await chain.settle();
    expect(detailsOf(memory)).toHaveLength(count + 2);
    expect(detailsOf(memory).at(-1)).toBe('one more; written late');
  });

  it('goes to the log, oldest first, once 10,000 are pending', async () => {
    const { memory, chain, lines, leave, comeBack } = await setUp();
    leave();
    await Promise.all(Array.from({ length: 10_002 }, (_, i) => codeOf(chain.append(entry(String(i))))));
    expect(lines).toMatchObject([
      { record: { detail: '0; written late', username: 'ada' } },
      { record: { detail: '1; written late' } },
    ]);
    comeBack();
    await chain.settle();
    expect(detailsOf(memory).slice(0, 2)).toEqual(['before', '2; written late']);
    expect(memory.entries).toHaveLength(10_001);
  });

  it('gets a last attempt at shutdown and then goes to the log', async () => {
    const { memory, chain, lines, leave, comeBack } = await setUp();
    leave();
    await codeOf(chain.append(entry('stored at the end')));
    comeBack();
    await chain.close();
    leave();
    await codeOf(chain.append(entry('lost')));
    await chain.close();
    expect(detailsOf(memory)).toEqual(['before', 'stored at the end; written late']);
    expect(lines).toMatchObject([{ record: { detail: 'lost; written late' } }]);
  });

  it('is not kept when the write fails for another reason', async () => {
    const { memory, chain } = await setUp();
    const { append } = memory;
    memory.append = async () => {
      throw new Error('malformed');
    };
    expect(await codeOf(chain.append(entry('odd')))).toBe('Error: malformed');
    memory.append = append;
    await chain.append(entry('next'));
    expect(detailsOf(memory)).toEqual(['before', 'next']);
  });
});

describe('An audit entry that the database refuses', () => {
  /** Refuses every write for which `isRefused` is true. */
  async function refusing(isRefused: (details: string[], events: readonly object[]) => boolean) {
    const scene = await setUp();
    const { append } = scene.memory;
    scene.memory.append = async (rows, head, events = []) => {
      const details = rows.map(({ detail }) => detail);
      if (isRefused(details, events)) throw refusal();
      return append(rows, head, events);
    };
    return scene;
  }

  it('does not affect the other entries of its batch', async () => {
    const { chain, memory, verdict } = await refusing((details) => details.includes('bad'));
    const codes = ['a', 'bad', 'b'].map((detail) => codeOf(chain.append(entry(detail))));
    expect(await Promise.all(codes)).toEqual(['done', 'Error: violates a foreign key', 'done']);
    expect(detailsOf(memory)).toEqual(['before', 'a', 'b']);
    expect(await verdict()).toMatchObject({ ok: true });
  });

  it('does not fail a waiting entry when it is a late one', async () => {
    const { chain, memory } = await setUp();
    const { append } = memory;
    memory.trouble = () => {
      throw new Fault('database_unavailable');
    };
    expect(await codeOf(chain.append(entry('bad')))).toBe('database_unavailable');
    memory.append = async (rows, head, events) => {
      if (rows.some(({ detail }) => detail.startsWith('bad'))) throw refusal();
      return append(rows, head, events);
    };
    expect(await codeOf(chain.append(entry('good')))).toBe('done');
    expect(detailsOf(memory)).toEqual(['before', 'good']);
  });

  it('goes to the log in full', async () => {
    const { chain, lines } = await refusing((details) => details.includes('bad'));
    await codeOf(chain.append(entry('bad')));
    expect(lines).toMatchObject([{ record: { detail: 'bad', username: 'ada' } }]);
  });

  it('is stored without its event when the event is refused, and the log names the event kind', async () => {
    const { chain, memory, lines, verdict } = await refusing((_details, events) => events.length > 0);
    expect(await codeOf(chain.append(entry('deed'), { event: FIRED }))).toBe('done');
    expect(detailsOf(memory)).toEqual(['before', 'deed']);
    expect(lines).toMatchObject([{ event: 'sftp_delete' }]);
    expect(await verdict()).toMatchObject({ ok: true });
  });

  it('is not written again when it was stored after all', async () => {
    const { chain, memory, verdict } = await setUp();
    const { append, chain: readChain } = memory;
    let writes = 0;
    memory.append = async (...write) => {
      writes += 1;
      const has_deliveries = await append(...write);
      if (writes === 2) throw refusal(); // Stored, whatever the driver reports.
      return has_deliveries;
    };
    let readings = 0;
    memory.chain = async (id) => {
      readings += 1;
      if (readings === 1) throw new Fault('database_unavailable');
      return readChain(id);
    };
    await Promise.all(['alone', 'a', 'b'].map((detail) => codeOf(chain.append(entry(detail)))));
    await chain.append(entry('after'));
    expect(detailsOf(memory)).toEqual(['before', 'alone', 'a', 'b', 'after']);
    expect(await verdict()).toMatchObject({ ok: true });
  });
});
