import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createGatewayContact } from '../../../apps/web/servers/status/gateway-contact.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const PATIENCE_MS = 5000;

describe('The connection to the gateway', () => {
  it('is lost when no answer comes for five seconds, however often it is sought', () => {
    const contact = createGatewayContact();
    contact.seek();
    vi.advanceTimersByTime(PATIENCE_MS - 1);
    contact.seek();
    expect(contact.is_lost()).toBe(false);
    vi.advanceTimersByTime(1);
    expect(contact.is_lost()).toBe(true);
  });

  it('is not lost when a stream was dropped and the next one comes at once', () => {
    const contact = createGatewayContact();
    contact.seek();
    vi.advanceTimersByTime(PATIENCE_MS - 1);
    contact.made();
    vi.advanceTimersByTime(PATIENCE_MS * 10);
    expect(contact.is_lost()).toBe(false);
  });

  it('is there again with the first answer, and can be lost again', () => {
    const contact = createGatewayContact();
    contact.seek();
    vi.advanceTimersByTime(PATIENCE_MS);
    contact.made();
    expect(contact.is_lost()).toBe(false);
    contact.seek();
    vi.advanceTimersByTime(PATIENCE_MS);
    expect(contact.is_lost()).toBe(true);
  });

  it('is not lost while nobody asks', () => {
    const contact = createGatewayContact();
    contact.seek();
    contact.rest();
    vi.advanceTimersByTime(PATIENCE_MS);
    expect(contact.is_lost()).toBe(false);
  });
});
