import { describe, expect, it } from 'vitest';
import { phraseOf } from '../../../../apps/core/audit/phrases.ts';
import { AuditAction, AuditFilter } from '../../../../apps/core/model/audit/audit.ts';
import {
  AUDIT_PAGE,
  detailOf,
  formatTotal,
  spanOf,
  totalOf,
  VIAS,
  viaOf,
} from '../../../../apps/web/admin/audit/audit.ts';
import { auditConditions, auditProblem } from '../../../../apps/web/admin/audit/query.ts';
import type { QueryKey } from '../../../../apps/web/parts/query-bar/keys.ts';
import { readQuery } from '../../../../apps/web/parts/query-bar/read.ts';
import { CATALOGUES, translateTo } from '../../../support/texts.ts';

const KEYS: readonly QueryKey[] = [
  { key: 'user', label: 'user', is_open: true },
  { key: 'action', label: 'action', is_many: true },
  { key: 'server', label: 'server', is_open: true },
  { key: 'since', label: 'since', is_time: true },
  { key: 'until', label: 'until', is_time: true },
  { key: 'address', label: 'address', is_open: true },
  { key: 'via', label: 'via' },
  { key: 'outcome', label: 'audit_outcome' },
];
const SERVERS = [{ id: 7, name: 'web-1' }];
const conditions = (text: string) => auditConditions(readQuery(text, KEYS), SERVERS);

describe('the query of the audit log', () => {
  it('is what the API takes', () => {
    expect(conditions('user:ana via:api address:10.0. disk "a b"')).toEqual({
      ...{ username: 'ana', via: 'api', address: '10.0.', searches: ['disk', 'a b'] },
    });
    expect(conditions('')).toEqual({});
    expect(conditions('via:pigeon nobody:x')).toEqual({});
  });

  it('finds a server by its label, and a path in the detail', () => {
    expect(conditions('server:WEB-1 "/etc/nginx.conf"').searches).toEqual(['web-1 (#7)', '/etc/nginx.conf']);
    expect(conditions('server:gone').searches).toEqual(['gone (#']);
  });

  it('has days of the user', () => {
    expect(conditions('since:2026-03-01 until:2026-03-01')).toEqual({
      since: new Date(2026, 2, 1).toISOString(),
      until: new Date(2026, 2, 2).toISOString(),
    });
  });

  it('finds what failed or was not completed', () => {
    expect(conditions('outcome:failed').actions).toContain('login_failed');
    expect(conditions('outcome:failed action:login_failed action:login').actions).toEqual(['login_failed']);
    expect(conditions('outcome:failed action:login').actions).toEqual(['-']);
    expect(conditions('outcome:stopped').searches).toEqual(['not completed']);
  });
});

describe('a query that is too long for the API', () => {
  it.each([
    ['of words', Array.from({ length: 12 }, (_, n) => `w${n}`).join(' '), 10, 'w10 w11'],
    ['of characters', `${'a'.repeat(190)} ${'b'.repeat(190)} ${'c'.repeat(30)}`, 2, 'c'.repeat(30)],
  ])('is applied up to the limit %s, and the bar names the rest', (_, text, applied, source) => {
    const asked = conditions(`server:web-1 ${text}`).searches ?? [];
    expect(conditions(text).searches).toHaveLength(applied);
    expect(asked[0]).toBe('web-1 (#7)');
    expect(AuditFilter.safeParse({ searches: asked }).success).toBe(true);
    expect(auditProblem(readQuery(text, KEYS), SERVERS)).toEqual({
      text: 'query_too_long',
      values: { source, most: 10, longest: 400 },
    });
  });

  it('is named only then', () => {
    expect(auditProblem(readQuery('server:web-1 disk', KEYS), SERVERS)).toBeUndefined();
  });
});

describe('a page of the audit log', () => {
  const headers = (total: string, exact?: string) =>
    new Headers({ 'X-Total-Count': total, ...(exact ? { 'X-Total-Count-Exact': exact } : {}) });

  it('shows how many entries there are', () => {
    expect(formatTotal(totalOf(headers('1234')), 'en')).toBe('1,234');
    expect(formatTotal(totalOf(headers('10000', 'false')), 'en')).toBe('10,000+');
    expect(formatTotal(totalOf(new Headers()), 'en')).toBe('0');
  });

  it('shows a range of them', () => {
    expect(spanOf(1, 50, { count: 550, exact: true })).toEqual({ from: 501, to: 550, has_older: false });
    expect(spanOf(0, AUDIT_PAGE, { count: 501, exact: true }).has_older).toBe(true);
  });

  it('continues after the last entry that was counted', () => {
    const total = { count: 10_000, exact: false };
    expect(spanOf(19, AUDIT_PAGE, total)).toEqual({ from: 9501, to: 10_000, has_older: true });
    expect(spanOf(20, 30, total).has_older).toBe(false);
  });
});

describe('the detail of an entry', () => {
  const told = (action: string, detail: string, language: 'en' | 'es') =>
    detailOf({ action, detail, phrase: phraseOf({ action, detail }) }, translateTo(language));

  it('names settings as their page does', () => {
    const detail = 'record_sessions, log_level';
    expect(told('settings_update', detail, 'en')).toBe('Record terminals, Log level');
    expect(told('settings_reset', `${detail}; written late`, 'es')).toBe(
      'Grabar las terminales, Nivel del registro; escrita con retraso',
    );
    expect(told('audit_limits', 'audit_retention_days: 30', 'en')).toBe('Audit retention: 30');
  });

  it('keeps what another action names', () => {
    expect(told('sftp_write', 'box (#1): /srv/log_level', 'en')).toBe('box (#1): /srv/log_level');
  });
});

describe('the transport of an entry', () => {
  it('has a name, and one of a later version is shown as it is', () => {
    const names = (language: 'en' | 'es') =>
      [...VIAS, 'ssh', undefined].map((via) => viaOf(via, translateTo(language)));
    expect(names('en')).toEqual(['Page', 'API', 'Embedded', 'AI agent', 'ssh', '']);
    expect(names('es')).toEqual(['Página', 'API', 'Incrustado', 'Agente de IA', 'ssh', '']);
  });
});

describe('the names of actions', () => {
  it.each(Object.entries(CATALOGUES))('are complete in %s', (_language, texts) => {
    const missing = AuditAction.options.filter((action) => !Object.hasOwn(texts, `action_${action}`));
    expect(missing).toEqual([]);
  });
});
