/** From where a stream of events goes on. */
export class Place {
  private last = '';
  private held: string | undefined;

  /** Takes the id of an event that came. */
  heard(id: string): void {
    if (id !== '') this.last = id;
  }

  /** Data is fetched from now on whose topics the stream does not bring yet: the next one goes on from here, whatever comes until then. */
  hold(): void {
    this.held ??= this.last;
  }

  /** The topics turned out to be those that the stream brings. */
  drop(): void {
    this.held = undefined;
  }

  forget(): void {
    this.last = '';
    this.held = undefined;
  }

  /** Whether nothing came yet. */
  get isNew(): boolean {
    return this.last === '';
  }

  /** Returns the id after which the next stream begins. */
  begin(): string {
    this.last = this.held || this.last;
    this.held = undefined;
    return this.last;
  }
}
