import type { Dictionary } from '../en';
import { common } from './common';
import { shell } from './shell';
import { states } from './states';
import { time } from './time';
import { errors } from './errors';
import { login } from './login';
import { dashboard } from './dashboard';
import { jobs } from './jobs';
import { editor } from './editor';
import { jobDetail } from './jobDetail';
import { runs } from './runs';
import { run } from './run';
import { queues } from './queues';
import { workers } from './workers';
import { cluster } from './cluster';
import { calendars } from './calendars';
import { misfires } from './misfires';
import { operations } from './operations';
import { views } from './views';
import { workflow } from './workflow';
import { approvals } from './approvals';
import { flows } from './flows';
import { xxl } from './xxl';
import { backfills } from './backfills';
import { rerun } from './rerun';
import { match } from './match';
import { alerts } from './alerts';
import { webhooks } from './webhooks';
import { settings } from './settings';
import { palette } from './palette';
import { peek } from './peek';
import { help } from './help';
import { glue } from './glue';
import { said } from './said';

export const zh: Dictionary = {
  common,
  shell,
  states,
  time,
  errors,
  login,
  dashboard,
  jobs,
  editor,
  jobDetail,
  runs,
  run,
  queues,
  workers,
  cluster,
  calendars,
  misfires,
  webhooks,
  operations,
  views,
  workflow,
  approvals,
  flows,
  xxl,
  backfills,
  rerun,
  match,
  alerts,
  settings,
  palette,
  peek,
  help,
  glue,
  said,
};
