import { Fault } from '../../errors.ts';
import { isInside, parentOf } from '../../lib/paths/posix-path.ts';

/** Files of the kernel and of devices: their sizes mean nothing, reading one may block for ever or change something. */
const SPECIAL = ['/proc', '/sys', '/dev'];

/** Files that describe the machine and have an end: none with secrets, such as `environ`, and no streams, such as `kmsg`. */
const PLAIN =
  /^\/proc\/((cpuinfo|meminfo|loadavg|uptime|version|stat|vmstat|swaps|mdstat|partitions|diskstats|filesystems|interrupts|cmdline)|pressure\/(cpu|io|memory)|\d{1,10}\/(mounts|mountinfo|status|limits|net\/(dev|sockstat)))$/;

export function assertPlainFile(real_path: string): void {
  const special = SPECIAL.find((place) => isInside(real_path, place));
  if (special === undefined || PLAIN.test(real_path)) return;
  throw new Fault('not_a_file', `A file in ${special} is not an ordinary file, so it is not read here`);
}

/** Whether a walk leaves it out: it lies below what was asked for, and holds no files of a disk. */
export function isLeftOut(path: string, root: string): boolean {
  return SPECIAL.includes(path) && root === parentOf(path);
}
