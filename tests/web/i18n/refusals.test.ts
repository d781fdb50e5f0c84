import { describe, expect, it } from 'vitest';
import { phraseCodes, phraseOf } from '../../../apps/core/audit/phrases.ts';
import { FAULTS, toFault } from '../../../apps/core/errors.ts';
import { WARNING_CODES, withPhrases } from '../../../apps/core/hosts/imports/warning-phrases.ts';
import { Username } from '../../../apps/core/model/accounts/user.ts';
import { AuditAction } from '../../../apps/core/model/audit/audit.ts';
import { STAGE_CODES } from '../../../apps/core/model/hosts/connection-test.ts';
import { assertNewPassword } from '../../../apps/core/policy/passwords.ts';
import { phraseText } from '../../../apps/web/i18n/phrases.ts';
import { complaintText, refusalText } from '../../../apps/web/i18n/refusals.ts';
import { translateTo } from '../../support/texts.ts';

describe('a refusal', () => {
  it('uses the gateway’s own text in its language', () => {
    expect(refusalText('en', 'host_unreachable', 'Cannot reach box:22')).toEqual({
      text: 'Cannot reach box:22',
    });
  });

  it('is translated by its code, with the address that it names', () => {
    const { text, specifics } = refusalText(
      'es',
      'host_unreachable',
      'Cannot reach box (10.0.0.7:22): refused',
    );
    expect([text, specifics]).toEqual(['No se puede conectar con el host', '10.0.0.7:22']);
  });

  it('keeps fingerprints, paths and IPv6 addresses', () => {
    const key = `SHA256:${'a+/'.repeat(14)}b`;
    const detail = `The key of [fd00::1]:22 is now ${key}. See /srv/data and/or ask.`;
    expect(refusalText('es', 'host_key_changed', detail).specifics).toBe(`[fd00::1]:22 · ${key} · /srv/data`);
  });

  it.each([
    ['jump_host_offline', 'Not reached: its jump host my gate is offline'],
    ['jump_host_unchecked', 'Not checked: its jump host my gate lets nobody through without a person'],
  ])('%s keeps the name of the jump host', (code, error) => {
    const { text, specifics } = refusalText('es', code, error);
    expect([text, specifics]).toEqual([expect.stringContaining('host de salto'), 'my gate']);
  });

  it('with an unknown code is shown unchanged', () => {
    expect(refusalText('es', 'toString', 'Something new')).toEqual({ text: 'Something new' });
  });

  it('that an account can cause has a Spanish text', () => {
    const accounts = /^(account|api_key|directory|last|protected|session|too_many|totp|user|username)_/;
    const codes = Object.keys(FAULTS).filter((code) => accounts.test(code));
    expect(codes.length).toBeGreaterThan(9);
    expect(codes.filter((code) => refusalText('es', code, '?').text === '?')).toEqual([]);
  });

  it('that a host or a file can cause has a Spanish text, unless its details vary', () => {
    const codes = Object.keys(FAULTS).filter((code) => /^(host|sftp|ssh|file|jump)_/.test(code));
    expect(refusalText('es', 'credentials_required', '?').text).not.toBe('?');
    expect(codes.filter((code) => refusalText('es', code, '?').text === '?')).toEqual([
      'jump_host_in_use',
      'sftp_failed',
    ]);
  });
});

describe('a sentence of the gateway', () => {
  it.each([...STAGE_CODES, ...phraseCodes(), ...WARNING_CODES])('%s has a Spanish text', (code) => {
    expect(phraseText('es', { code, values: {} })).toBeDefined();
  });

  it('is read from the detail of an audit entry and told in Spanish', () => {
    const entry = {
      action: 'terminal_close',
      detail: 'web to db (#3) after 12 s (idle_timeout); written late',
    };
    const phrase = phraseOf(entry);
    expect(phrase).toMatchObject({ code: 'closed_because', written_late: true });
    expect(phrase && phraseText('es', phrase)).toMatch(/^web to db \(#3\), después de 12 s \(/);
  });

  it('is read from a warning and told in Spanish', () => {
    const { warning_phrases } = withPhrases([
      'Host "old" is left out: Port must be a number from 1 to 65535 (line 3).',
      'Server lost: its private key could not be read and is not in the bundle',
      'hook: restored disabled. The address is not a URL',
      'Something new',
    ]);
    expect(warning_phrases.map((phrase) => phrase && phraseText('es', phrase))).toEqual([
      'Host "old" se omite: Port debe ser un número de 1 a 65535 (línea 3).',
      'Servidor lost: no se ha podido leer la clave privada y no está en la copia',
      'hook: restaurado pero desactivado. La dirección no es una URL',
      null,
    ]);
  });

  it('has instants by the locale', () => {
    const values = { terminal: 'web', mode: 'ro', until_at: '2026-05-04T10:00:00.000Z' };
    expect(phraseText('es', { code: 'shared_until', values })).toMatch(
      /^web: solo lectura, hasta el 4 may 2026/,
    );
  });
});

describe('the audit log', () => {
  it('has a name for every action', () => {
    const t = translateTo('es');
    expect(AuditAction.options.filter((action) => t.optional(`action_${action}`) === undefined)).toEqual([]);
  });
});

describe('a validation message', () => {
  const refused = (work: () => unknown) => {
    try {
      return work();
    } catch (error) {
      return toFault(error).detail;
    }
  };

  it.each(['short', 'long'.repeat(65), 'Mallory-1', 'password1'])('has a Spanish text for %j', (password) => {
    const message = String(refused(() => assertNewPassword(password, 'mallory-1')));
    expect(complaintText('en', message)).toBe(message);
    expect(complaintText('es', message)).toMatch(/^La contraseña /);
    expect(refusalText('es', 'validation', message).text).toBe(complaintText('es', message));
  });

  it.each([' ada', 'a\tb', 'a\u200bb'])('has a Spanish text for the name %j', (name) => {
    const messages = Username.safeParse(name).error?.issues.map(({ message }) => message) ?? [];
    expect(messages.length).toBeGreaterThan(0);
    for (const message of messages) expect(complaintText('es', message)).not.toBe(message);
  });

  it('with unknown words is shown unchanged', () => {
    expect(complaintText('es', 'toString')).toBe('toString');
  });
});
