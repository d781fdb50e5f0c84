import { describe, expect, it } from 'vitest';
import { phraseOf } from '../../../../apps/core/audit/phrases.ts';
import { AuditAction } from '../../../../apps/core/model/audit/audit.ts';
import {
  AUDIT_PAGE,
  conditionsOf,
  detailOf,
  filterOf,
  formatTotal,
  isBackwards,
  isFiltered,
  queryOf,
  spanOf,
  totalOf,
  VIAS,
  viaOf,
} from '../../../../apps/web/admin/audit/audit.ts';
import { CATALOGUES, translateTo } from '../../../support/texts.ts';

const NONE = filterOf({});

describe('the filter of the audit log', () => {
  it('survives a reload through the URL', () => {
    const filter = {
      ...NONE,
      username: 'ada',
      via: 'api',
      search: 'a&b',
      since: '2026-03-01T08:30',
      page: 2,
    };
    expect(filterOf(queryOf(filter))).toEqual(filter);
  });

  it('is not in the URL when nothing is set', () => {
    expect(Object.values(queryOf(NONE)).filter((value) => value !== undefined)).toEqual([]);
  });

  it('accepts a hand-typed URL', () => {
    expect(filterOf({ page: '-1', action: ['login', 'logout'], renderer: 'dom' })).toEqual({
      ...NONE,
      action: 'login',
    });
    expect([filterOf({ page: '1.5' }).page, filterOf({ page: 'x' }).page]).toEqual([0, 0]);
  });

  it('converts local times to UTC and omits what is not set', () => {
    const since = '2026-03-01T08:30';
    expect(conditionsOf({ ...NONE, since, search: ' web ', page: 3 })).toEqual({
      since: new Date(since).toISOString(),
      search: 'web',
    });
  });

  it('omits an invalid time', () => {
    expect(conditionsOf({ ...NONE, until: 'soon' })).toEqual({});
    expect(isFiltered({ ...NONE, until: 'soon', username: ' ' })).toBe(false);
    expect(isFiltered({ ...NONE, action: 'login' })).toBe(true);
  });

  it('omits a transport that the gateway would refuse', () => {
    expect(conditionsOf({ ...NONE, via: 'agent' })).toEqual({ via: 'agent' });
    expect(conditionsOf({ ...NONE, via: 'constructor' })).toEqual({});
    expect(isFiltered({ ...NONE, via: 'carrier-pigeon' })).toBe(false);
  });
});

describe('the time range of the audit log', () => {
  it.each([
    ['2026-03-01T08:30', '2026-03-01T08:29', true],
    ['2026-03-01T08:30', '2026-03-01T08:30', true],
    ['2026-03-01T08:30', '2026-03-01T08:31', false],
    ['2026-03-01T08:30', '', false],
    ['', '2026-03-01T08:30', false],
    ['soon', '2026-03-01T08:30', false],
  ])('from %j until %j is empty: %j', (since, until, is_backwards) => {
    expect(isBackwards({ since, until })).toBe(is_backwards);
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
    expect(spanOf(1, 50, { count: 150, exact: true })).toEqual({ from: 101, to: 150, has_older: false });
    expect(spanOf(0, AUDIT_PAGE, { count: 101, exact: true }).has_older).toBe(true);
  });

  it('continues after the last entry that was counted', () => {
    const total = { count: 10_000, exact: false };
    expect(spanOf(99, AUDIT_PAGE, total)).toEqual({ from: 9901, to: 10_000, has_older: true });
    expect(spanOf(100, 30, total).has_older).toBe(false);
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
