// The explorer's page begins here: it has these views.

import "uplot/dist/uPlot.min.css";
import "./page.css";
import { begin } from "./router.ts";
import { captures } from "./captures/captures.ts";
import { localCaptures } from "./captures/local.ts";
import { explore } from "./path/explore.ts";
import { map } from "./maps/map.ts";
import { papers } from "./papers/papers.ts";
import { tour } from "./tour.ts";

const root = document.getElementById("app") ?? document.body;
void begin(root, [explore, map, captures, localCaptures, papers, tour]);
