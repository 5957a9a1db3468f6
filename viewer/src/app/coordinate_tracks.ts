import type { Run } from '../data/run';
import { GrowingTrack, trackFromMessage } from '../data/track';
import type { PlotPanel } from '../plots/panel';
import type { Message } from '../wire/decode';
import type { TrackHeader } from '../wire/messages';
import type { Session } from './session';

/** frames of a track that a recording is asked for at most */
const mostFrames = 20_000;

/** Keeps the coordinate plot's body and where it went: asked for from a recording, put together from the frames of other runs. */
export class CoordinateTracks {
  constructor(
    private readonly session: Session,
    private readonly plots: PlotPanel,
  ) {}

  choose(body: number): void {
    const { session } = this;
    if (!session.scene || body < 0) return;
    if (session.trackBody === body && session.tracks.length > 0 && !session.live) return;
    session.trackBody = body;
    this.plots.showBody(body);
    for (const run of session.runs) {
      session.tracks[run.number] = null;
      if (session.scene.mode === 'recording') {
        const stride = Math.max(1, Math.ceil(run.info.frames / mostFrames));
        session.send({ type: 'get_track', run: run.number, body, stride });
      } else session.tracks[run.number] = GrowingTrack.of(run.frames, body);
    }
    this.redraw();
  }

  receive(message: Message): void {
    const header = message.header as TrackHeader;
    if (header.body !== this.session.trackBody) return;
    this.session.tracks[header.run ?? 0] = trackFromMessage(message);
    this.redraw();
    this.session.readingsStale = true;
  }

  /** To be called after a run got frames. */
  framesCame(run: Run): void {
    const { tracks, trackBody } = this.session;
    if (run.live) {
      const frame = run.live.frame(run.live.newest());
      const track = tracks[run.number];
      if (track instanceof GrowingTrack && frame) track.add(frame);
      else if (frame) tracks[run.number] = GrowingTrack.of(run.live, trackBody);
    } else if (this.session.scene?.mode === 'report' && run.recorded?.has(run.frames.count - 1)) {
      // A report brings all of its frames, the last ones last: then there is a track to plot.
      tracks[run.number] = GrowingTrack.of(run.frames, trackBody);
      this.redraw();
    }
  }

  private redraw(): void {
    this.plots.find('coordinate')?.redraw();
  }
}
