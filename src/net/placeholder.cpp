namespace muster {
extern const char placeholder_net = 0;
}
