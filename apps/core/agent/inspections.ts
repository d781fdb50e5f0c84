import { z } from 'zod';

export type Argv = readonly [string, ...string[]];

/** A program that only looks, with exact arguments. */
export interface Inspection {
  readonly name: string;
  /** For the model. */
  readonly description: string;
  readonly arguments: z.ZodRawShape;
  /** In order of preference: systems differ in their programs. Each argument is fixed, from a list, a number or a word. */
  argvs(args: unknown): readonly Argv[];
  /** What was looked at, for the person. */
  title(args: unknown): string;
  /** What of the output is of use. */
  shown(output: string, args: unknown): string;
}

interface Definition<Shape extends z.ZodRawShape> {
  readonly name: string;
  readonly description: string;
  readonly arguments: Shape;
  argvs(args: z.infer<z.ZodObject<Shape>>): readonly Argv[];
  title(args: z.infer<z.ZodObject<Shape>>): string;
  shown?(output: string, args: z.infer<z.ZodObject<Shape>>): string;
}

function define<Shape extends z.ZodRawShape>(definition: Definition<Shape>): Inspection {
  const { argvs, title, shown = (output: string) => output } = definition;
  const schema = z.strictObject(definition.arguments);
  return {
    ...definition,
    argvs: (args) => argvs(schema.parse(args)),
    title: (args) => title(schema.parse(args)),
    shown: (output, args) => shown(output, schema.parse(args)),
  };
}

/** The name of a unit or of a package: no shell takes a character of it for more, and no program takes it for an option. */
export const Word = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9@._:+-]{0,99}$/, 'Not a plain name');

/** In front of every program: no colors, pagers or other languages, and system programs that a short PATH leaves out. */
export const ENVIRONMENT: Argv = [
  'env',
  'LC_ALL=C',
  'TERM=dumb',
  'NO_COLOR=1',
  'PAGER=cat',
  'SYSTEMD_COLORS=0',
  'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/run/current-system/sw/bin',
];

const TOPICS = {
  uptime: [['uptime']],
  load: [['cat', '/proc/loadavg'], ['uptime']],
  cpu: [['lscpu'], ['sysctl', 'hw.model', 'hw.ncpu']],
  memory: [['free', '-m'], ['cat', '/proc/meminfo'], ['vm_stat']],
  virtual_memory: [['vmstat', '1', '3']],
  disks: [
    ['df', '-PT', '-k'],
    ['df', '-P', '-k'],
    ['df', '-k'],
  ],
  inodes: [
    ['df', '-P', '-i'],
    ['df', '-i'],
  ],
  block_devices: [['lsblk', '-o', 'NAME,TYPE,SIZE,FSTYPE,MOUNTPOINT'], ['lsblk']],
  mounts: [['cat', '/proc/mounts'], ['mount']],
  raid: [['cat', '/proc/mdstat']],
  kernel: [['uname', '-a']],
  os_release: [['cat', '/etc/os-release'], ['sw_vers']],
  failed_units: [['systemctl', '--failed', '--no-pager', '--plain', '--full']],
  running_services: [
    ['systemctl', 'list-units', '--type=service', '--state=running', '--no-pager', '--plain'],
    ['service', '--status-all'],
  ],
  timers: [['systemctl', 'list-timers', '--all', '--no-pager']],
  crontab: [['crontab', '-l']],
  time_sync: [
    ['timedatectl', 'status', '--no-pager'],
    ['chronyc', '-n', 'tracking'],
  ],
  listening_sockets: [
    ['ss', '-tuln'],
    ['netstat', '-tuln'],
    ['netstat', '-an'],
  ],
  connections: [
    ['ss', '-s'],
    ['netstat', '-s'],
  ],
  addresses: [
    ['ip', '-brief', 'address'],
    ['ifconfig', '-a'],
  ],
  routes: [
    ['ip', 'route'],
    ['netstat', '-rn'],
  ],
  logged_in: [['who']],
  last_logins: [['last', '-n', '30'], ['last', '-30'], ['last']],
  containers: [
    ['docker', 'ps', '--all'],
    ['podman', 'ps', '--all'],
  ],
  container_disk_use: [
    ['docker', 'system', 'df'],
    ['podman', 'system', 'df'],
  ],
} as const satisfies Record<string, readonly Argv[]>;

const Topic = z.enum(Object.keys(TOPICS) as [keyof typeof TOPICS, ...(keyof typeof TOPICS)[]]);
const lines = (usual: number, most: number) => z.int().min(1).max(most).default(usual);
const PRIORITIES = ['emerg', 'alert', 'crit', 'err', 'warning', 'notice', 'info', 'debug'] as const;
const PROCESSES: Argv = ['ps', '-A', '-o', 'pid,ppid,user,pcpu,pmem,rss,etime,args'];

/** All that is ever run on a host; only what is named here. */
export const INSPECTIONS: readonly Inspection[] = [
  define({
    name: 'inspect_system',
    description:
      'Looks at one topic of the system, such as load, memory (MiB), disks (KiB), failed units, listening sockets, logins or containers.',
    arguments: { topic: Topic },
    argvs: ({ topic }) => TOPICS[topic],
    title: ({ topic }) => topic.replaceAll('_', ' '),
  }),
  define({
    name: 'list_processes',
    description: 'Lists the processes that use the most CPU or memory, with their command lines.',
    arguments: { sort: z.enum(['cpu', 'memory']).default('cpu'), limit: lines(20, 100) },
    argvs: ({ sort }) => [
      [...PROCESSES, sort === 'cpu' ? '--sort=-pcpu' : '--sort=-rss', '--cols=200'],
      [...PROCESSES, sort === 'cpu' ? '-r' : '-m'], // BSD and macOS
      ['ps', '-o', 'pid,user,vsz,args'], // BusyBox
    ],
    title: ({ sort }) => `processes by ${sort}`,
    shown: (output, { limit }) => output.split('\n', limit + 1).join('\n'),
  }),
  define({
    name: 'service_status',
    description: 'Shows the state of one systemd unit with its last log lines.',
    arguments: { unit: Word.describe('Such as nginx.service') },
    argvs: ({ unit }) => [['systemctl', 'status', '--no-pager', '--full', '--lines=20', unit]],
    title: ({ unit }) => `status of ${unit}`,
  }),
  define({
    name: 'read_journal',
    description:
      'Reads the systemd journal, the latest entry first. Without rights to it, only the own entries are seen.',
    arguments: {
      unit: Word.optional().describe('Only this unit, such as nginx.service'),
      priority: z.enum(PRIORITIES).optional().describe('This priority and more important ones'),
      kernel: z.boolean().default(false).describe('Only messages of the kernel'),
      minutes: z.int().min(1).max(525_600).optional().describe('Only the last minutes'),
      lines: lines(100, 500),
    },
    argvs: ({ unit, priority, kernel, minutes, lines: count }) => [
      [
        'journalctl',
        '--no-pager',
        '--quiet',
        '--reverse', // the output is cut at its end
        '--output=short-iso',
        `--lines=${count}`,
        ...(unit === undefined ? [] : [`--unit=${unit}`]),
        ...(priority === undefined ? [] : [`--priority=${priority}`]),
        ...(kernel ? ['--dmesg'] : []),
        ...(minutes === undefined ? [] : [`--since=-${minutes}min`]),
      ],
    ],
    title: ({ unit, kernel }) =>
      `journal${kernel ? ' of the kernel' : ''}${unit === undefined ? '' : ` of ${unit}`}`,
  }),
  define({
    name: 'package_version',
    description: 'Shows the installed version of a package.',
    arguments: { name: Word.describe('Name of the package') },
    argvs: ({ name }) => [
      ['dpkg-query', '--show', name],
      ['rpm', '--query', name],
      ['pacman', '-Q', name],
      ['apk', 'list', '--installed', name],
      ['pkg', 'info', name],
    ],
    title: ({ name }) => `version of ${name}`,
  }),
  define({
    name: 'installed_packages',
    description: 'Counts the installed packages and lists some of them with their versions.',
    arguments: {},
    argvs: () => [
      ['dpkg-query', '--show'],
      ['rpm', '--query', '--all'],
      ['pacman', '-Q'],
      ['apk', 'list', '--installed'],
      ['pkg', 'info'],
    ],
    title: () => 'installed packages',
    shown: (output) => `${output.split('\n').filter((line) => line !== '').length} lines\n${output}`,
  }),
];
