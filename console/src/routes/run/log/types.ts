/** Parts of a log as the API sends them. */
export interface LogLine {
  line: number;
  attempt: number;
  at: string;
  stream: 'stdout' | 'stderr' | 'system' | 'unknown';
  level?: 'debug' | 'info' | 'warn' | 'error' | 'unknown';
  text: string;
  truncated?: boolean;
}

export interface LogPage {
  lines: LogLine[];
  next_line: number;
  first_line: number;
  total_lines: number;
  complete: boolean;
  truncated: boolean;
}

export interface LogMatch {
  line: number;
  text: string;
  ranges: [number, number][];
}

export interface LogFound {
  matches: LogMatch[];
  count: number;
  next_line?: number;
  total_lines: number;
  searched_through: number;
  done: boolean;
}

export interface LogError {
  attempt: number;
  first?: LogLine;
  count: number;
  done: boolean;
}
