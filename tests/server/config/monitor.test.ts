import { describe, expect, it } from 'vitest';
import { describeConfig, parseConfig } from '#server/config/config.ts';
import { ConfigError } from '#server/config/config-error.ts';

describe('The monitor configuration', () => {
  it('has the defaults of the contract', () => {
    const { monitor, setting_values } = parseConfig({});
    expect(monitor).toEqual({ disabled: false });
    expect(setting_values).toMatchObject({
      monitor_interval: 60,
      monitor_timeout: 5,
      monitor_concurrency: 10,
    });
  });

  it('accepts small values', () => {
    const small = {
      SERVICE_DISABLE_MONITOR: 'true',
      SERVICE_MONITOR_INTERVAL: '1',
      SERVICE_MONITOR_TIMEOUT: '1',
      SERVICE_MONITOR_CONCURRENCY: '1',
    };
    const { monitor, setting_values } = parseConfig(small);
    expect(monitor).toEqual({ disabled: true });
    expect(setting_values).toMatchObject({
      monitor_interval: 1,
      monitor_timeout: 1,
      monitor_concurrency: 1,
    });
  });

  it.each([
    ['SERVICE_DISABLE_MONITOR', 'perhaps'],
    ['SERVICE_MONITOR_INTERVAL', '0'],
    ['SERVICE_MONITOR_INTERVAL', '1.5'],
    ['SERVICE_MONITOR_INTERVAL', '1m'],
    ['SERVICE_MONITOR_INTERVAL', '99999999'],
    ['SERVICE_MONITOR_TIMEOUT', '0'],
    ['SERVICE_MONITOR_TIMEOUT', '-5'],
    ['SERVICE_MONITOR_TIMEOUT', 'five'],
    ['SERVICE_MONITOR_CONCURRENCY', '0'],
    ['SERVICE_MONITOR_CONCURRENCY', '1e3'],
    ['SERVICE_MONITOR_CONCURRENCY', '100000'],
  ])('stops the start when %s is %s, and names the variable', (name, value) => {
    const parse = () => parseConfig({ [name]: value });
    expect(parse).toThrow(ConfigError);
    expect(parse).toThrow(`${name}: `);
  });

  it('is printed by `sallyport config`', () => {
    const printed = describeConfig({ SERVICE_MONITOR_TIMEOUT: '7' });
    expect(printed).toMatch(/^SERVICE_MONITOR_INTERVAL=60 +# default$/m);
    expect(printed).toMatch(/^SERVICE_MONITOR_TIMEOUT=7 +# environment$/m);
  });
});
