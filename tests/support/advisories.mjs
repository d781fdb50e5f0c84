// A step of `npm run check`: no advisory of high or critical severity for what the gateway runs. It needs the registry and nothing
// else, and is skipped where the registry does not answer, or with SALLYPORT_OFFLINE=1.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const SEVERE = ['high', 'critical'];
const TIMEOUT_MS = 60_000;

/**
 * Advisories that do not concern the gateway, each with its reason and the day on which to look again:
 * `{ id: 'GHSA-…', reason: '…', until: '2027-01-31' }`.
 */
const IGNORED = [];

/** The severe advisories of a report of `npm audit --json`, without those ignored today; undefined if it is no report. */
export function severeAdvisories(report, ignored, today) {
  if (report?.auditReportVersion === undefined) return undefined;
  const causes = Object.values(report.vulnerabilities).flatMap(({ via }) => via);
  const found = causes.filter((cause) => SEVERE.includes(cause.severity));
  const lines = found.map(({ name, title, url, severity }) => ({
    id: url.split('/').at(-1),
    line: `${severity}: ${name}: ${title} (${url})`,
  }));
  const isIgnored = (id) => ignored.some((one) => one.id === id && one.until >= today);
  return [...new Set(lines.filter(({ id }) => !isIgnored(id)).map(({ line }) => line))];
}

function audit() {
  const { stdout } = spawnSync('npm', ['audit', '--omit=dev', '--json'], {
    encoding: 'utf8',
    timeout: TIMEOUT_MS,
    env: { ...process.env, npm_config_fetch_retries: '1' },
  });
  try {
    return JSON.parse(stdout);
  } catch {
    return undefined;
  }
}

function check() {
  if (process.env.SALLYPORT_OFFLINE === '1') {
    return console.log('Advisories were not checked: SALLYPORT_OFFLINE is set');
  }
  const severe = severeAdvisories(audit(), IGNORED, new Date().toISOString().slice(0, 10));
  if (severe === undefined) return console.log('Advisories were not checked: the registry did not answer');
  for (const line of severe) console.error(line);
  if (severe.length > 0) process.exitCode = 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) check();
