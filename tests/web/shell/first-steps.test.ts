import { describe, expect, it } from 'vitest';
import { isForOthers } from '../../../apps/web/shell/home/first-steps.ts';

const at = (address: string) => isForOthers(new URL(address));

describe('The first steps', () => {
  it('take an address for one of others if it has TLS and is not this machine', () => {
    expect(at('https://gateway.example/ops/')).toBe(true);
    expect(at('http://gateway.example/')).toBe(false);
    expect(at('https://localhost:8443/')).toBe(false);
    expect(at('https://app.localhost/')).toBe(false);
    expect(at('https://127.0.0.1/')).toBe(false);
    expect(at('https://[::1]/')).toBe(false);
  });
});
