import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createGatewayContact } from '../../../apps/web/servers/status/gateway-contact.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const PATIENCE_MS = 5000;

describe('The connection to the gateway', () => {
  it('is lost after five seconds without an answer, however many attempts there were', () => {
    const contact = createGatewayContact();
    contact.seek();
    vi.advanceTimersByTime(PATIENCE_MS - 1);
    contact.seek();
    expect(contact.is_lost()).toBe(false);
    vi.advanceTimersByTime(1);
    expect(contact.is_lost()).toBe(true);
  });

  it('is not lost when a dropped stream is replaced at once', () => {
    const contact = createGatewayContact();
    contact.seek();
    vi.advanceTimersByTime(PATIENCE_MS - 1);
    contact.made();
    vi.advanceTimersByTime(PATIENCE_MS * 10);
    expect(contact.is_lost()).toBe(false);
  });

  it('is back with the first answer, and can be lost again', () => {
    const contact = createGatewayContact();
    contact.seek();
    vi.advanceTimersByTime(PATIENCE_MS);
    contact.made();
    expect(contact.is_lost()).toBe(false);
    contact.seek();
    vi.advanceTimersByTime(PATIENCE_MS);
    expect(contact.is_lost()).toBe(true);
  });

  it('is not lost while there are no requests', () => {
    const contact = createGatewayContact();
    contact.seek();
    contact.rest();
    vi.advanceTimersByTime(PATIENCE_MS);
    expect(contact.is_lost()).toBe(false);
  });
});
