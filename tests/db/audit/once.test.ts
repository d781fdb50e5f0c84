import { expect, it } from 'vitest';
import { describeEachStore } from '../../support/databases/stores.ts';
import { auditInstance, auditRecord, auditRows } from '../../support/features/audit.ts';

describeEachStore('An audit entry with a name', (fresh) => {
  it('is stored once, whichever process records it again, and holds up no other entry', async () => {
    const store = await fresh.migrated();
    const [killed, next] = await Promise.all([auditInstance(store), auditInstance(store)]);
    const end = auditRecord({ detail: 'the end' });
    await killed.append(end, { once: 'the end of a terminal' });
    await Promise.all([
      next.append(auditRecord({ detail: 'before' })),
      next.append(end, { once: 'the end of a terminal' }),
      next.append(auditRecord({ detail: 'after' })),
    ]);
    await next.append(end);
    const details = (await auditRows(store)).map(({ detail }) => detail);
    expect(details).toEqual(['the end', 'before', 'after', 'the end']);
  });
});
