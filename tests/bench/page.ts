import { measurePage } from './measures/page/page.ts';
import { report } from './report.ts';

report('page', await measurePage());
